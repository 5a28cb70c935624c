package tasklist

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Create User model in src/models/user.py":                      "src/models/user.py",
		"Create `src/a.ts`, `b.ts` and (`c/d.test.tsx`).":              "src/a.ts b.ts c/d.test.tsx",
		"edit src/app/[id]/page.tsx and app/(auth)/login/page.tsx":     "src/app/[id]/page.tsx app/(auth)/login/page.tsx",
		"see src/a.go:12-20, internal/b.go:7 and lib/c.rb#L3-L9":       "src/a.go internal/b.go lib/c.rb",
		"run tests/test_x.py::TestA::test_b":                           "tests/test_x.py",
		"GET/POST and/or CI/CD, read/write 1/2 N/A":                    "",
		"`GET /api/users` at https://x.org/a/b.html, `/api/users`":     "",
		"`@scope/pkg` and @org/thing":                                  "",
		"`npm run build` with Node.js v1.2.3 e.g. 3.5 GB":              "",
		"in README.md, main.go and package.json; not foo.bar or a.b.c": "README.md main.go package.json",
		"`Makefile` and Dockerfile":                                    "Makefile Dockerfile",
		"docs/ and `src/lib/` and widgets/":                            "docs/ src/lib/ widgets/",
		"`src/models` folder":                                          "src/models",
		"all of src/**/*.go and *.md and src/{a,b}.ts":                 "src/**/*.go *.md src/{a,b}.ts",
		"./src/a.go ../out.go a//b.go ...":                             "src/a.go",
		"**File**: `src/x.py` (NEW)":                                   "src/x.py",
		"__init__.py, __tests__/a.test.ts and `_sass/_base.scss`":      "__init__.py __tests__/a.test.ts _sass/_base.scss",
		"_src/a.py_, __src/b.py__":                                     "src/a.py src/b.py",
		"src/a.py,src/b.py":                                            "src/a.py src/b.py",
		"src/a.py src/a.py":                                            "src/a.py",
		"c:\\x\\y.go":                                                  "",
		"`foo.bar()` and `os.path.join(a, b)`":                         "",
		"ends in src/main.rs.":                                         "src/main.rs",
		"an `open tick in src/x.go":                                    "src/x.go",
		"größe/übung.md":                                               "größe/übung.md",
		".github/workflows/ci.yml and .env.example":                    ".github/workflows/ci.yml",
		"`pot.size/lid` and `example.com/x/y`":                         "",
		"the default/`--plain` and lib/ or src/`":                      "lib/",
		"App.xaml 后 View.razor":                                        "App.xaml View.razor",
		"写 Pot.kt，再改src/Lid.kt中的行，`鍋/図.pu`、docs/鍋.md":                  "Pot.kt src/Lid.kt 鍋/図.pu docs/鍋.md",
	} {
		if got := strings.Join(Files(text), " "); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	var ids []string
	for n := range 30 {
		ids = append(ids, fmt.Sprintf("T%03d", n))
	}
	ids = append(ids, "1", "2", "3", "1.1", "1.2", "2.1", "WP01", "WP02", "#3", "#4")
	k := NewKnownIDs(ids)
	for text, want := range map[string]string{
		"T014 depends on T012, T013":                          "T014>T012 T014>T013",
		"T014 depends on T012 and T013. T015 is free":         "T014>T012 T014>T013",
		"- **T003**: Depends on T001":                         "T003>T001",
		"T008 blocks T009, T015":                              "T009>T008 T015>T008",
		"Tests (T004-T006) before implementation (T008-T009)": "T008>T004 T009>T004 T008>T005 T009>T005 T008>T006 T009>T006",
		"T001 → T002 → T003":                                  "T002>T001 T003>T002",
		"T001 -> T002, T003":                                  "T002>T001 T003>T001",
		"T001 must complete before T004":                      "T004>T001",
		"T002 and T003 can run in parallel":                   "",
		"T004 after T1 and T002–T003":                         "T004>T001 T004>T002 T004>T003",
		"Models (T004) are required by T007":                  "T007>T004",
		"T099 depends on T001":                                "T099>T001",
		"T001 depends on T001":                                "",
		"Setup (Phase 1): No dependencies":                    "",
		"1.2 depends on 1.1":                                  "1.2>1.1",
		"2.1 requires task 1 and task 2":                      "2.1>1 2.1>2",
		"WP02 waits for WP01":                                 "WP02>WP01",
		"T002, needs T001; T003 follows T002":                 "T002>T001 T003>T002",
		"T005 uses S3 after T004":                             "T005>T004",
		"T001→T002, T004→T005":                                "T002>T001 T005>T004",
		"T001 → T002, T003 → T004":                            "T002>T001 T003>T001 T004>T002 T004>T003",
		"T001 → writes a file for T002":                       "",
		"T001 → [T002, T003]":                                 "T002>T001 T003>T001",
		"T005 renders-before-it-reads T004":                   "",
		"T005 depends-on T004; T006 blocked-by T005":          "T005>T004 T006>T005",
		"T007 依赖 T003":                                        "T007>T003",
	} {
		if got := said(k.FindOrder(text, "")); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"Implement it in a.py (depends on T012, T013)":   "T009>T012 T009>T013",
		"Dependencies: T01, T02 (they share types)":      "T009>T001 T009>T002",
		"**Dependencies:** Tasks 1, 2, 3 (see there)":    "T009>1 T009>2 T009>3",
		"Dependencies: None (can parallel with Phase 1)": "",
		"_Requirements: 1.1, 2.1_":                       "",
		"as T003 does":                                   "",
		"blocked by #3, #4":                              "T009>#3 T009>#4",
		"add 2 retries after 3 seconds":                  "T009>3"[:0],
		"needs T001, blocked by T002":                    "T009>T001 T009>T002",
		"this blocks T010":                               "T010>T009",
		"~~make it~~ → **REPLACED by T010**":             "",
		"as T001 does (T002, T003に依存)":                   "T009>T002 T009>T003",
		"T001과 (T004, T005에 의존)":                         "T009>T004 T009>T005",
		"Depends on: 1.1, 1.2":                           "T009>1.1 T009>1.2",
	} {
		if got := said(k.FindOrder(text, "T009")); got != want {
			t.Errorf("of T009, %q: %q, not %q", text, got, want)
		}
	}
}

func said(pairs []Pair) string {
	var list []string
	for _, p := range pairs {
		list = append(list, p.Task+">"+p.After)
	}
	return strings.Join(list, " ")
}

func FuzzMention(f *testing.F) {
	f.Add("T001 depends on T002-T010 in `src/a.go`, (b/c.ts)")
	f.Add("{a,b}/,,`` x[](../..)")
	k := NewKnownIDs([]string{"T001", "T002", "T9", "1.1", "1", "#3"})
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range Files(text) {
			if strings.HasPrefix(p, "/") || p == "" || slices.Contains(strings.Split(p, "/"), "..") || strings.ContainsAny(p, " \n\x00") {
				t.Fatalf("%q", p)
			}
		}
		for _, p := range k.FindOrder(text, "T001") {
			if IDKey(p.Task) == IDKey(p.After) {
				t.Fatalf("%v", p)
			}
		}
	})
}

func BenchmarkOrder(b *testing.B) {
	k := NewKnownIDs([]string{"T001", "T002"})
	text := strings.Repeat("Create the model T002 (depends on T001) in src/a.go. ", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		k.FindOrder(text, "T001")
		Files(text)
	}
}
