package names

import (
	"slices"
	"testing"
)

var tracked = []string{
	"README.md", "docs/README.md", "docs/api/index.md", "src/app/main.py", "src/app/__init__.py", "src/jobs/clean_up.rb", "src/middleware/auth.ts", "src/models/auth.ts",
	"crates/a/src/lib.rs", "crates/a/src/codec/mod.rs", "app/Mail/Welcome.php", "scss/_button.scss", "net/http/handler.cc", "net/http/BUILD", "r\u00e9sum\u00e9.txt",
	"pkg/one/one.go", "pkg/one/one_test.go", "pkg/two/a.go", "pkg/two/b.go", "routers/orders.py", "routers/users.py", "Makefile", "_config.yml",
}

func TestFind(t *testing.T) {
	x := New(tracked)
	for name, want := range map[string][]string{
		"src/app/main.py":                        {"src/app/main.py"},
		"main.py":                                {"src/app/main.py"},
		"auth.ts":                                {"src/middleware/auth.ts", "src/models/auth.ts"},
		"middleware/auth.ts":                     {"src/middleware/auth.ts"},
		"/builds/x/y/src/app/main.py":            {"src/app/main.py"},
		"b/src/app/main.py":                      {"src/app/main.py"},
		`C:\work\net\http\handler.cc`:            {"net/http/handler.cc"},
		"./Makefile":                             {"Makefile"},
		"/app/node_modules/x/middleware/auth.ts": nil,
		"other/docs/new.md":                      nil,
		"re\u0301sume\u0301.txt":                 {"r\u00e9sum\u00e9.txt"},
		"MAIN.PY":                                {"src/app/main.py"},
		"_config.yml":                            {"_config.yml"},
		"ain.py":                                 nil,
		"":                                       nil,
	} {
		if got := x.Find(name); !slices.Equal(got, want) {
			t.Errorf("Find(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSymbol(t *testing.T) {
	x := New(tracked)
	for name, want := range map[string]string{
		"src.app.main": "src/app/main.py", "app.main.run": "src/app/main.py", "Jobs::CleanUp": "src/jobs/clean_up.rb", `App\Mail\Welcome`: "app/Mail/Welcome.php",
		"crate::codec": "crates/a/src/codec/mod.rs", "//net/http:handler.cc": "net/http/handler.cc", "//net/http:server": "net/http/BUILD", "Welcome": "app/Mail/Welcome.php",
		"os.Root": "", "req.auth": "", "1.2.3": "", "e.g.": "",
	} {
		got := x.Symbol(name)
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("Symbol(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestConventions(t *testing.T) {
	x := New(tracked)
	if got := x.Role("orders", "router"); !slices.Equal(got, []string{"routers/orders.py"}) {
		t.Error(got)
	}
	if got := x.Partial("button"); !slices.Equal(got, []string{"scss/_button.scss"}) {
		t.Error(got)
	}
	if got, ok := x.Package("pkg/one"); !ok || got != "pkg/one/one.go" {
		t.Error(got)
	}
	if got, ok := x.Package("pkg/two"); ok {
		t.Error("two files are no answer:", got)
	}
	if got := x.Glob("routers/*.py"); len(got) != 2 {
		t.Error(got)
	}
	if got := x.Glob("*_test.go"); !slices.Equal(got, []string{"pkg/one/one_test.go"}) {
		t.Error(got)
	}
	if got := x.Glob("{a,b}.go"); len(got) != 2 {
		t.Error(got)
	}
	if got := Sources([]string{"a/b.go", "a/b_test.go", "a/index.ts"}, 1); !slices.Equal(got, []string{"a/b.go"}) {
		t.Error(got)
	}
}
