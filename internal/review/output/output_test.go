package output

import (
	"fmt"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"a/b.go:12:3: undefined: x":                                  "diagnostic a/b.go:12-12",
		"src/a.ts(12,5): error TS1005: x":                            "diagnostic src/a.ts:12-12",
		"   --> src/a.rs:7:2":                                        "diagnostic src/a.rs:7-7",
		"/w/a.vue\n  14:7  error  no-x":                              "diagnostic /w/a.vue:14-14",
		"In bin/x.sh line 18:":                                       "diagnostic bin/x.sh:18-18",
		"::error file=a.py,line=3,endLine=5::bad":                    "diagnostic a.py:3-5",
		"a/b.py   80  6  92%   14-17, 88":                            "diagnostic a/b.py:14-17 diagnostic a/b.py:88-88",
		"  File \"a/b.py\", line 3, in f":                            "frame a/b.py:3-3",
		"    at f (/app/a.js:1:22)":                                  "frame /app/a.js:1-1",
		"\tat com.acme.Shop.buy(Shop.java:40)":                       "frame com/acme/Shop.java:40-40",
		"#1 /v/Cart.php(27): f()":                                    "frame /v/Cart.php:27-27",
		"lib/a.rb:9:in `x'":                                          "frame lib/a.rb:9-9",
		"\t/b/x.go:52 +0x1d":                                         "frame /b/x.go:52-52",
		"thread 'main' panicked at src/a.rs:4:1:":                    "panic src/a.rs:4-4",
		"--- a/x.c\n+++ b/x.c\n@@ -1,2 +3,4 @@ f\n+a":                "hunk x.c:3-6",
		"+++ b/x.c\n@@ -1 +2 @@":                                     "hunk x.c:2-2",
		"D  scripts/a.sh":                                            "listed scripts/a.sh:0-0",
		"make: *** [Makefile:41: check] Error 1":                     "aside Makefile:41-41",
		"12:30 deploy of v1.2:3, ratio 3:1 on 0.0.0.0:8443 and more": "",
	} {
		places, _ := Read(text, "")
		var got []string
		for _, p := range places {
			got = append(got, fmt.Sprintf("%s %s:%d-%d", []string{"diagnostic", "panic", "frame", "hunk", "listed", "aside"}[p.Kind], p.Path, p.Start, p.End))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("+++ b/x\n@@ -1 +9999999999,2 @@\na:1: x", "y")
	f.Add("Traceback (most recent call last)\n  File \"a\", line 0", "")
	f.Fuzz(func(t *testing.T, text, file string) {
		places, _ := Read(text, file)
		for _, p := range places {
			if p.Start < 0 || p.End < p.Start || p.Line < 0 || p.Line > strings.Count(text, "\n") {
				t.Errorf("odd place %+v", p)
			}
		}
		Pasted(text)
	})
}
