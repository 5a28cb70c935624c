package testreport

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/belay-dev/belay/internal/testutil"
)

func TestGoTestGoldens(t *testing.T) {
	t.Parallel()
	testutil.Each(t, "testdata/gotest/*.jsonl", 15, func(_ string, r io.Reader) (Report, error) { return ReadGoTest(r) })
}

// TestGoTestCutAnywhere: a truncated stream is never complete.
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
	for size, incomplete := range map[int]bool{100: false, 1 << 16: false, 1<<16 + 1: false, 900_000: false, maxLine + 100: true, 5 << 20: true} {
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
	for i := range 50_000 + 10 {
		fmt.Fprintf(&s, `{"Action":"fail","Package":"p","Test":"Test%d"}`+"\n", i)
	}
	report, err = ReadGoTest(strings.NewReader(s.String() + `{"Action":"fail","Package":"p"}`))
	if err != nil || !report.Incomplete || report.Failed != 50_000+10 {
		t.Errorf("many failures: %d failed, %v, %v", report.Failed, report.Warnings, err)
	}
	testutil.Sound(t, report)
}

// TestGoTestHoldsLittle: with more and more input that may be needed later, memory stays bounded
// and the counts stay right.
func TestGoTestHoldsLittle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	for name, event := range map[string]string{
		"builds":   `{"Action":"build-output","ImportPath":"q%d","Output":"%s\n"}`,
		"packages": `{"Action":"output","Package":"p%d","Output":"%s\n"}`,
		"names":    `{"Action":"run","Package":"p","Test":"Test%d%s"}`,
	} {
		const room = 1 << 20
		g := goReader{goCounts: newGoCounts(), packages: map[string]*goPackage{}, builds: map[string]*outputLines{}, buffered: maxBuffered - room}
		g.readLine([]byte(`{"Action":"run","Package":"first","Test":"TestA"}`))
		for i := range 20_000 {
			g.readLine(fmt.Appendf(nil, event, i, long[:1+i%len(long)/50]))
		}
		if entries := len(g.packages) + g.running + len(g.builds); g.buffered > maxBuffered+len(long) || entries > room/entryCost {
			t.Errorf("%s: %d bytes of %d entries in memory", name, g.buffered, entries)
		}
		g.readLine([]byte(`{"Action":"fail","Package":"first","Test":"TestA"}`))
		g.readLine([]byte(`{"Action":"fail","Package":"first"}`))
		if r := g.finish(); r.Failed != 1 || r.Total != 1 {
			t.Errorf("%s: %s", name, r)
		}
	}
	g := goReader{goCounts: newGoCounts(), packages: map[string]*goPackage{}, builds: map[string]*outputLines{}}
	for range 3 {
		for _, action := range []string{"run", "output", "pass"} {
			g.readLine(fmt.Appendf(nil, `{"Action":%q,"Package":"p","Test":"TestA","Output":"x"}`, action))
			g.readLine(fmt.Appendf(nil, `{"Action":%q,"Package":"p","Output":"x"}`, action))
		}
	}
	if g.buffered != 0 || g.running != 0 {
		t.Errorf("%d bytes and %d tests in memory after the end", g.buffered, g.running)
	}
}

// TestGoTestEncodings reads output as written by a shell on Windows.
func TestGoTestEncodings(t *testing.T) {
	t.Parallel()
	events := `{"Action":"run","Package":"p","Test":"TestÄ"}
{"Action":"output","Package":"p","Test":"TestÄ","Output":"    a_test.go:3: grün\n"}
{"Action":"fail","Package":"p","Test":"TestÄ"}
{"Action":"fail","Package":"p"}
`
	want, _ := ReadGoTest(strings.NewReader(events))
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var wide []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + strings.ReplaceAll(events, "\n", "\r\n"))) {
			wide = order.AppendUint16(wide, unit)
		}
		if got, err := ReadGoTest(bytes.NewReader(wide)); err != nil || got.Failed != 1 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", order, got, err)
		}
	}
}

func FuzzGoTest(f *testing.F) {
	testutil.Seeds(f, "testdata/gotest/*.jsonl", 4000)
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := ReadGoTest(bytes.NewReader(data))
		if err != nil {
			t.Errorf("unexpected error: %v", err)
		}
		testutil.Sound(t, report)
	})
}

func BenchmarkGoTest(b *testing.B) {
	var s strings.Builder
	for i := range 5_000 {
		name := fmt.Sprintf("TestCart%d", i)
		for _, out := range []string{"=== RUN   " + name, "    cart_test.go:12: something was logged here", "--- PASS: " + name} {
			fmt.Fprintf(&s, `{"Time":"2026-01-01T00:00:00.000000000Z","Action":"output","Package":"example.com/shop/cart","Test":%q,"Output":%q}`+"\n", name, out+"\n")
		}
		fmt.Fprintf(&s, `{"Time":"2026-01-01T00:00:00.000000000Z","Action":"pass","Package":"example.com/shop/cart","Test":%q,"Elapsed":0.01}`+"\n", name)
	}
	benchmarkGoTest(b, []byte(s.String()))
}

func benchmarkGoTest(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := ReadGoTest(bytes.NewReader(data)); err != nil || r.Total == 0 {
			b.Fatal(r, err)
		}
	}
}
