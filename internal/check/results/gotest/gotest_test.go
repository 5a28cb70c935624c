package gotest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/belay-dev/belay/internal/check/foreign"
	"github.com/belay-dev/belay/internal/check/golden"
	"github.com/belay-dev/belay/internal/check/results"
)

func sound(t *testing.T, r results.Report) {
	t.Helper()
	if err := r.Sound(); err != nil {
		t.Error(err)
	}
}

func TestGoTestGoldens(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/*.jsonl", 15, func(_ string, r io.Reader) (results.Report, error) { return Read(r) })
}

// TestGoTestCutAnywhere: a stream that stops early never reads as a whole one.
func TestGoTestCutAnywhere(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/ok.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	whole = bytes.TrimSpace(whole)
	for n := 0; n < len(whole); n += 3 {
		if report, err := Read(bytes.NewReader(whole[:n])); err != nil || !report.Incomplete {
			t.Fatalf("cut after %d bytes: %+v, %v", n, report, err)
		}
	}
}

func TestGoTestKeepsWhatWasReadBeforeAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("gone")
	report, err := Read(io.MultiReader(
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
	for size, incomplete := range map[int]bool{100: false, 1 << 16: false, 1<<16 + 1: false, 900_000: false, foreign.MaxLine + 100: true, 5 << 20: true} {
		long := `{"Action":"output","Package":"p","Test":"TestA","Output":"` + strings.Repeat("x", size) + `"}` + "\n"
		report, err := Read(strings.NewReader(event("run", "TestA") + long + event("fail", "TestA") + end))
		if err != nil || report.Failed != 1 || report.Incomplete != incomplete {
			t.Errorf("a line of %d bytes: %+v, %v", size, report, err)
		}
		if got := len(report.Failures[0].Message); got > foreign.LineBytes+10 {
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
	report, err := Read(strings.NewReader(s.String()))
	if err != nil || !report.Incomplete || !strings.Contains(fmt.Sprint(report.Warnings), "ran at once") {
		t.Errorf("many tests at once: %+v, %v", report, err)
	}
	s.Reset()
	for i := range 50_000 + 10 {
		fmt.Fprintf(&s, `{"Action":"fail","Package":"p","Test":"Test%d"}`+"\n", i)
	}
	report, err = Read(strings.NewReader(s.String() + `{"Action":"fail","Package":"p"}`))
	if err != nil || !report.Incomplete || report.Failed != 50_000+10 {
		t.Errorf("many failures: %d failed, %v, %v", report.Failed, report.Warnings, err)
	}
	sound(t, report)
}

func FuzzRead(f *testing.F) {
	golden.Seeds(f, "testdata/*.jsonl", 4000)
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Errorf("an error of nobody's: %v", err)
		}
		sound(t, report)
	})
}

func BenchmarkRead(b *testing.B) {
	var s strings.Builder
	for i := range 5_000 {
		name := fmt.Sprintf("TestCart%d", i)
		for _, out := range []string{"=== RUN   " + name, "    cart_test.go:12: something was logged here", "--- PASS: " + name} {
			fmt.Fprintf(&s, `{"Time":"2026-01-01T00:00:00.000000000Z","Action":"output","Package":"example.com/shop/cart","Test":%q,"Output":%q}`+"\n", name, out+"\n")
		}
		fmt.Fprintf(&s, `{"Time":"2026-01-01T00:00:00.000000000Z","Action":"pass","Package":"example.com/shop/cart","Test":%q,"Elapsed":0.01}`+"\n", name)
	}
	benchmark(b, []byte(s.String()))
}

func benchmark(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Read(bytes.NewReader(data)); err != nil || r.Total == 0 {
			b.Fatal(r, err)
		}
	}
}
