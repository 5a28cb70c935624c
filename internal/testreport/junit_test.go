package testreport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

func TestJUnitGoldens(t *testing.T) {
	t.Parallel()
	testutil.Each(t, "testdata/junit/*.xml", 40, func(_ string, r io.Reader) (Report, error) { return ReadJUnit(r) })
}

func TestNoJUnit(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":         "",
		"blank":           " \n\t",
		"html":            "<html><body><testsuite/></body></html>",
		"text":            "all tests passed",
		"json":            `{"testsuite": []}`,
		"zeros":           strings.Repeat("\x00", 4096),
		"entities":        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>`,
		"external entity": `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite/>`,
		"late entities":   `<testsuite><testcase name="a"/><!DOCTYPE x [<!ENTITY a "b">]></testsuite>`,
		"parameter":       `<!doctype x[<!ENTITY % a SYSTEM "http://x/">%a;]><testsuite/>`,
		"an open tag":     "<testsuite",
	} {
		report, err := ReadJUnit(strings.NewReader(text))
		var refused *belay.Error
		if !errors.As(err, &refused) || refused.Code != belay.CodeCannot || refused.Try == "" {
			t.Errorf("%s: got %+v and %v, want a refusal", name, report, err)
		}
	}
}

func TestJUnitKeepsWhatWasReadBeforeAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	r := io.MultiReader(strings.NewReader(`<testsuite><testcase name="a"><failure/></testcase><testcase name="b">`), iotest.ErrReader(broken))
	report, err := ReadJUnit(r)
	if !errors.Is(err, broken) || report.Failed != 1 || report.Total != 1 {
		t.Errorf("got %+v and %v", report, err)
	}
}

// TestJUnitCutAnywhere: a truncated report is never complete, and the failures before the cut are
// reported.
func TestJUnitCutAnywhere(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/junit/plain.xml")
	if err != nil {
		t.Fatal(err)
	}
	whole = bytes.TrimSpace(whole)
	failure := bytes.Index(whole, []byte("</failure>")) + len("</failure>")
	for n := range whole {
		report, err := ReadJUnit(bytes.NewReader(whole[:n]))
		if err == nil && !report.Incomplete {
			t.Fatalf("cut after %d bytes it is complete: %+v", n, report)
		}
		if n >= failure && report.Failed == 0 {
			t.Fatalf("cut after %d bytes the failure is lost: %+v, %v", n, report, err)
		}
		if report.Passed > 1 {
			t.Fatalf("cut after %d bytes %d passed", n, report.Passed)
		}
	}
}

// repeat is a reader of a repeated text, without having it in memory.
type repeat struct {
	text string
	left int64
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.left > 0 {
		k := copy(p[n:], r.text[r.at:])
		r.at = (r.at + k) % len(r.text)
		n += k
		r.left -= int64(k)
	}
	return n, nil
}

func TestJUnitBombs(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, tt := range map[string]struct {
		head, text string
		size       int64
		lacks      string
	}{
		"many attributes":  {"<testsuite><testcase ", `a="" `, 8 * mib, "a tag is over 1 MiB"},
		"long name":        {"<testsuite><", "a", 4 * mib, "a tag is over 1 MiB"},
		"long attribute":   {`<testsuite><testcase name="`, "a", 8 * mib, "unexpected EOF"},
		"long text":        {"<testsuite><testcase><failure>", "a&amp;", 8 * mib, "stops in the middle"},
		"deep":             {"", "<testsuite>", 4 * mib, "nested more than 256 deep"},
		"many failures":    {"<testsuite>", "<testcase><failure/></testcase>", 2 * mib, "more than 50000 tests failed"},
		"comment":          {"<testsuite><!-- ", "-", 8 * mib, "stops in the middle"},
		"many stray ends":  {"<testsuite>", "</a>", 1 * mib, "stops in the middle"},
		"many open things": {"<testsuite>", "<testcase>", 4 * mib, "nested more than 256 deep"},
	} {
		report, err := ReadJUnit(io.MultiReader(strings.NewReader(tt.head), &repeat{text: tt.text, left: tt.size}))
		if err != nil || !report.Incomplete || !strings.Contains(fmt.Sprint(report.Warnings), tt.lacks) {
			t.Errorf("%s: got %d warnings %.300q and %v, want one about %q", name, len(report.Warnings), report.Warnings, err, tt.lacks)
		}
		testutil.Sound(t, report)
	}
}

func FuzzJUnit(f *testing.F) {
	testutil.Seeds(f, "testdata/junit/*.xml", 1<<20)
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := ReadJUnit(bytes.NewReader(data))
		testutil.Sound(t, report)
		var refused *belay.Error
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("unexpected error: %v", err)
		}
	})
}

func benchmarkJUnit(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := ReadJUnit(bytes.NewReader(data)); err != nil || r.Total == 0 {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkJUnit(b *testing.B) {
	var s strings.Builder
	s.WriteString(`<?xml version="1.0" encoding="UTF-8"?><testsuites><testsuite name="s">`)
	for i := range 20_000 {
		fmt.Fprintf(&s, `<testcase classname="com.example.shop.CartTest" name="case %d" time="0.0%d"`, i, i)
		if i%50 == 0 {
			s.WriteString("><failure message=\"expected &lt;1&gt;\"><![CDATA[" + strings.Repeat("\tat com.example.shop.CartTest.x(CartTest.java:33)\n", 30) + "]]></failure></testcase>\n")
		} else {
			s.WriteString("/>\n")
		}
	}
	s.WriteString("</testsuite></testsuites>")
	benchmarkJUnit(b, []byte(s.String()))
}
