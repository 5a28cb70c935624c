package testreport

import (
	"fmt"
	"testing"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"    foo_test.go:12: got 1":                         "foo_test.go:12",
		"./x.go:3:5: undefined: y":                          "./x.go:3",
		"\t/home/me/p/a.go:17 +0x1d":                        "/home/me/p/a.go:17",
		"tests/test_a.py:8: AssertionError":                 "tests/test_a.py:8",
		`  File "/srv/app/x.py", line 33, in f`:             "/srv/app/x.py:33",
		"    at Object.<anonymous> (src/c.test.js:10:5)":    "src/c.test.js:10",
		"at com.x.FooTest.bad(FooTest.java:33)":             "FooTest.java:33",
		"thread 'main' panicked at src/lib.rs:5:9:":         "src/lib.rs:5",
		"nothing at 12:30:05 or http://host:8080/":          "",
		"a.go:0: no such line, b.go:99999999999 neither":    "",
		"version 1.2:3 is no file; 10.0.0.1:80 is no place": "",
	} {
		file, line := firstPlace(text)
		got := fmt.Sprintf("%s:%d", file, line)
		if file == "" {
			got = ""
		}
		if got != want {
			t.Errorf("%q points to %q, want %q", text, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\r\nb":                            "a\nb",
		"10%\r20%\rdone":                    "10%\n20%\ndone",
		"\x1b[1;31mred\x1b[0m":              "red",
		"\x1b]0;title\x07x":                 "x",
		"\x1b]8;;u\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b[31":                           "",
		"\x1b":                              "",
		"\x1b(B":                            "(B",
		"a\x00b\xff":                        "ab\ufffd",
		"\ufffd[31mred#x1B[0m":              "red",
		"\x1b[3\nlost":                      "\nlost",
	} {
		if got := PlainText(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
