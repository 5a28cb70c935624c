package web

import (
	"fmt"
	"strings"
	"testing"
)

const patch = `diff --git a/a.go b/a.go
index 1..2 100644
--- a/a.go
+++ b/a.go
@@ -1,4 +1,4 @@ func f()
 one
-two := old(1)
+two := new(1)
--- removed, and no header
+three
 four
diff --git "a/t\303\244st \"x\"" "b/t\303\244st \"x\""
new file mode 100644
--- /dev/null
+++ "b/t\303\244st \"x\""
@@ -0,0 +1 @@
+only
\ No newline at end of file
diff --git a/p.png b/p.png
Binary files a/p.png and b/p.png differ
`

func TestReadPatch(t *testing.T) {
	t.Parallel()
	files, err := readPatch(strings.NewReader(patch), budget{file: 100, page: 100})
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if f := files[0]; f.Path != "a.go" || f.Added != 2 || f.Deleted != 2 || len(f.Hunks) != 1 || len(f.Hunks[0].Rows) != 4 {
		t.Errorf("%+v", f)
	}
	changed := files[0].Hunks[0].Rows[1]
	if changed.Kind != "!" || changed.Old != 2 || changed.New != 2 || fmt.Sprint(changed.Left) != "[{two :=  false } {old true } {(1) false }]" {
		t.Errorf("%+v", changed)
	}
	var kinds string
	for _, r := range files[0].Hunks[0].Unified() {
		kinds += r.Kind
	}
	if kinds != " --++ " {
		t.Errorf("in one column: %q", kinds)
	}
	if f := files[1]; f.Path != `täst "x"` || f.Added != 1 || len(f.Hunks[0].Rows) != 2 {
		t.Errorf("%+v", f)
	}
	if !files[2].Binary || files[2].Path != "p.png" {
		t.Errorf("%+v", files[2])
	}
	for skip, want := range []string{"a.go", `täst "x"`, "p.png"} {
		rest, err := readPatch(strings.NewReader(patch), budget{file: 100, page: 1, files: skip})
		if err != nil || len(rest) == 0 || rest[0].Path != want {
			t.Errorf("after %d files: %v, %v", skip, rest, err)
		}
	}
	if rest, err := readPatch(strings.NewReader(patch), budget{file: 100, page: 100, files: 3}); err != nil || len(rest) != 0 {
		t.Errorf("after all files: %v, %v", rest, err)
	}
}

// TestReadPatchInParts: a large patch is read up to the limits, and a part of a file continues
// after the previous part.
func TestReadPatchInParts(t *testing.T) {
	t.Parallel()
	large := "diff --git a/l b/l\n--- a/l\n+++ b/l\n@@ -0,0 +1,1000 @@\n" + strings.Repeat("+line\n", 1000)
	var got int
	for skip := 0; skip < 1000; skip += 300 {
		files, err := readPatch(strings.NewReader(large), budget{file: 300, page: 300, skip: skip})
		if err != nil || len(files) != 1 {
			t.Fatal(len(files), err)
		}
		rows := files[0].Hunks[0].Rows
		if rows[0].New != skip+1 {
			t.Errorf("after %d lines, the next is line %d", skip, rows[0].New)
		}
		got += len(rows)
		if want := max(0, 1000-skip-300); files[0].Cut != want {
			t.Errorf("%d lines are left, want %d", files[0].Cut, want)
		}
	}
	if got != 1000 {
		t.Errorf("%d lines in total", got)
	}
}

// FuzzReadPatch: for any input, it ends within its budget, and lines keep their text.
func FuzzReadPatch(f *testing.F) {
	f.Add(patch)
	f.Add("diff --git a/x b/x\n@@ -1,9999999999999999999 +1,2 @@\n-a\n")
	f.Add("diff --git \n@@ -@@ +\n")
	f.Add("@@ -1 +1 @@\n+x\n")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := readPatch(strings.NewReader(text), budget{file: 5, page: 9, files: len(text) % 3})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, file := range files {
			for _, h := range file.Hunks {
				rows += len(h.Rows)
				for _, r := range h.Rows {
					if r.Kind == "!" && !strings.Contains(text, join(r.Left)) || !strings.Contains(text, join(r.Right)) {
						t.Errorf("%+v is not in the text", r)
					}
				}
			}
		}
		if rows > 9+len(files) {
			t.Errorf("%d rows", rows)
		}
	})
}

func join(parts []span) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
