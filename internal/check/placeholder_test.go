package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/syntax"
)

const body = `package p

import "fmt"

func One() {
	fmt.Println("a")
	fmt.Println("b")
	fmt.Println("c")
	fmt.Println("d")
}

func Two() int {
	return 2
}
`

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	four := "\tfmt.Println(\"a\")\n\tfmt.Println(\"b\")\n\tfmt.Println(\"c\")\n\tfmt.Println(\"d\")\n"
	for name, c := range map[string]struct {
		path, before, after string
		want                []string
	}{
		"rest of code":        {after: strings.Replace(body, four, "\t// ... rest of the code unchanged\n", 1), want: []string{"error 6: a comment replaces 4 lines of code: // ... rest of the code unchanged"}},
		"existing code here":  {after: strings.Replace(body, four, "\t// existing code here\n\tfmt.Println(\"new\")\n", 1), want: []string{"error 6: a comment replaces 3 lines of code: // existing code here"}},
		"at the end":          {after: strings.Replace(body, "func Two() int {\n\treturn 2\n}\n", "// ... (rest of file unchanged)\n", 1), want: []string{"error 12: a comment replaces 3 lines of code: // ... (rest of file unchanged)"}},
		"python":              {path: "a.py", before: "def a():\n    x = 1\n    y = 2\n    z = 3\n    return x\n\ndef b():\n    pass\n", after: "def a():\n    # ... existing implementation ...\n\ndef b():\n    pass\n", want: []string{"error 2: a comment replaces 4 lines of code: # ... existing implementation ..."}},
		"jsx":                 {path: "a.jsx", before: "<ul>\n<li>1</li>\n<li>2</li>\n<li>3</li>\n</ul>\n", after: "<ul>\n{/* ... other items ... */}\n</ul>\n", want: []string{"error 2: a comment replaces 3 lines of code: {/* ... other items ... */}"}},
		"nothing is gone":     {after: strings.Replace(body, "func Two", "// The rest of the file stays the same for compatibility.\nfunc Two", 1), want: []string{"warning 12: a comment stands for omitted code: // The rest of the file stays the same for compatibility."}},
		"existed before":      {before: strings.Replace(body, four, "\t// ... rest of the code unchanged\n", 1), after: strings.Replace(body, four, "\t// ... rest of the code unchanged\n", 1) + "\nvar x = 1\n"},
		"an honest removal":   {after: strings.Replace(body, four, "", 1)},
		"an ordinary comment": {after: strings.Replace(body, four, "\t// Print the remaining items as before the loop.\n", 1)},
		"dots in code":        {after: strings.Replace(body, four, "\tprint(append(x, rest...)...)\n", 1)},
		"in a string":         {after: strings.Replace(body, four, "\tfmt.Println(\"... rest of the code unchanged\")\n", 1)},
		"prose":               {path: "README.md", before: "# a\n\nb\nc\nd\n", after: "# a\n\n// ... rest of the code unchanged\n"},
		"a stub":              {after: body + "\nfunc Three() {\n\t// TODO: implement\n}\n", want: []string{"warning 17: not implemented yet: // TODO: implement"}},
		"a stub of python":    {path: "a.py", before: "x = 1\n", after: "x = 1\ndef f():\n    raise NotImplementedError\n", want: []string{"warning 3: not implemented yet: raise NotImplementedError"}},
		"an abstract method":  {path: "a.py", before: "x = 1\n", after: "x = 1\nclass A(ABC):\n    @abstractmethod\n    def f(self):\n        raise NotImplementedError\n"},
		"a stub in a test":    {path: "a_test.go", before: body, after: body + "\nfunc x() { panic(\"not implemented\") }\n"},
		"a new file":          {path: "n.go", before: "-", after: "package p\n\n// ... existing code here\n", want: []string{"warning 3: a comment stands for omitted code: // ... existing code here"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &syntax.File{Path: "a.go", Before: []byte(body), After: []byte(c.after)}
			if c.path != "" {
				f.Path = c.path
			}
			switch c.before {
			case "":
			case "-":
				f.Before = nil
			default:
				f.Before = []byte(c.before)
			}
			var got []string
			for _, one := range Placeholders([]*syntax.File{f}) {
				got = append(got, fmt.Sprintf("%s %d: %s", one.Severity, one.Line, one.Title))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzLook(f *testing.F) {
	f.Add(body, strings.Replace(body, "return 2", "// ... rest of the code unchanged", 1))
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, one := range Placeholders([]*syntax.File{{Path: "a.go", Before: []byte(before), After: []byte(after)}}) {
			if one.Line < 1 || one.Title == "" {
				t.Errorf("%+v", one)
			}
		}
	})
}
