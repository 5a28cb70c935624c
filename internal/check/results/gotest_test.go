package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestGoTestGoldens(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/gotest/*.jsonl")
	if len(files) < 15 {
		t.Fatalf("only %d streams", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			golden(t, file, ReadGoTest)
		})
	}
}

// TestGoTestCutAnywhere: a stream that stops early never reads as a whole one.
func TestGoTestCutAnywhere(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/gotest/ok.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	whole = bytes.TrimSpace(whole)
	for n := 0; n < len(whole); n += 3 {
		if report, err := ReadGoTest(bytes.NewReader(whole[:n])); err != nil || !report.Incomplete {
			t.Fatalf("cut after %d bytes: %+v, %v", n, report, err)
		}
	}
}

func TestGoTestKeepsWhatWasReadBeforeAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("gone")
	report, err := ReadGoTest(io.MultiReader(
		strings.NewReader(`{"Action":"fail","Package":"p","Test":"TestA"}`+"\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || report.Failed != 1 {
		t.Errorf("got %+v and %v", report, err)
	}
}

func TestGoTestLongLines(t *testing.T) {
	t.Parallel()
	event := func(action, test string) string {
		return fmt.Sprintf(`{"Action":%q,"Package":"p","Test":%q}`+"\n", action, test)
	}
	end := `{"Action":"fail","Package":"p"}` + "\n"
	for size, incomplete := range map[int]bool{100: false, 1 << 16: false, 1<<16 + 1: false, 900_000: false, maxEventLine + 100: true, 5 << 20: true} {
		long := `{"Action":"output","Package":"p","Test":"TestA","Output":"` + strings.Repeat("x", size) + `"}` + "\n"
		report, err := ReadGoTest(strings.NewReader(event("run", "TestA") + long + event("fail", "TestA") + end))
		if err != nil || report.Failed != 1 || report.Incomplete != incomplete {
			t.Errorf("a line of %d bytes: %+v, %v", size, report, err)
		}
		if got := len(report.Failures[0].Message); got > lineBytes+10 {
			t.Errorf("a message of %d bytes", got)
		}
	}
}

func TestGoTestBombs(t *testing.T) {
	t.Parallel()
	var s strings.Builder
	for i := range maxLiveTests + 10 {
		fmt.Fprintf(&s, `{"Action":"run","Package":"p","Test":"Test%d"}`+"\n", i)
	}
	report, err := ReadGoTest(strings.NewReader(s.String()))
	if err != nil || !report.Incomplete || !strings.Contains(fmt.Sprint(report.Warnings), "ran at once") {
		t.Errorf("many tests at once: %+v, %v", report, err)
	}
	s.Reset()
	for i := range maxFailures + 10 {
		fmt.Fprintf(&s, `{"Action":"fail","Package":"p","Test":"Test%d"}`+"\n", i)
	}
	report, err = ReadGoTest(strings.NewReader(s.String() + `{"Action":"fail","Package":"p"}`))
	if err != nil || !report.Incomplete || report.Failed != maxFailures+10 {
		t.Errorf("many failures: %d failed, %v, %v", report.Failed, report.Warnings, err)
	}
	sound(t, report)
}

func FuzzReadGoTest(f *testing.F) {
	files, _ := filepath.Glob("testdata/gotest/*.jsonl")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 4000)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := ReadGoTest(bytes.NewReader(data))
		if err != nil {
			t.Errorf("an error of nobody's: %v", err)
		}
		sound(t, report)
	})
}

// TestAddSums: reading two reports and adding them is reading both.
func TestAddSums(t *testing.T) {
	t.Parallel()
	read := func(s string) Report {
		r, err := ReadJUnit(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	sum := read(`<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>`)
	sum.Add(read(`<testsuite><testcase name="c"><error/></testcase><testcase name="d"><skipped/></testcase>`))
	sound(t, sum)
	if got := sum.String(); got != "4 tests: 1 passed, 1 failed, 1 broke, 1 skipped" || !sum.Incomplete || len(sum.Failures) != 2 {
		t.Errorf("the sum is %s, %+v", got, sum)
	}
}

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
		if got := plain(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func BenchmarkReadGoTest(b *testing.B) {
	var s strings.Builder
	for i := range 5_000 {
		name := fmt.Sprintf("TestCart%d", i)
		for _, out := range []string{"=== RUN   " + name, "    cart_test.go:12: something was logged here", "--- PASS: " + name} {
			fmt.Fprintf(&s, `{"Time":"2026-01-01T00:00:00.000000000Z","Action":"output","Package":"example.com/shop/cart","Test":%q,"Output":%q}`+"\n", name, out+"\n")
		}
		fmt.Fprintf(&s, `{"Time":"2026-01-01T00:00:00.000000000Z","Action":"pass","Package":"example.com/shop/cart","Test":%q,"Elapsed":0.01}`+"\n", name)
	}
	benchmark(b, []byte(s.String()), ReadGoTest)
}
