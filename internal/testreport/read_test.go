package testreport

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
)

// samples returns the testdata reports with the format that must be detected.
func samples(t testing.TB) map[string]string {
	t.Helper()
	formats := map[string]string{}
	for pattern, format := range map[string]string{
		"testdata/junit/*.xml": JUnit, "testdata/tap/*.tap": TAP,
		"testdata/gotest/*.jsonl": GoTest, "testdata/dotnet/*.trx.xml": TRX,
		"testdata/dotnet/nunit*.xml": NUnit, "testdata/dotnet/xunit*.xml": XUnit,
		"testdata/plain/*.cargo.txt": Cargo, "testdata/plain/*.node.txt": Node,
		"testdata/plain/*.maven.txt": Maven, "testdata/plain/*.pytest.txt": Pytest,
		"testdata/plain/*.go.txt": Go,
	} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			t.Fatalf("nothing matches %s", pattern)
		}
		for _, f := range files {
			formats[f] = format
		}
	}
	return formats
}

func TestFormatsAreTold(t *testing.T) {
	t.Parallel()
	other := map[string]string{ // files in which another format is right
		"no_json.jsonl": Go, "cut.pytest.txt": "", "cut.cargo.txt": "", "empty.tap": "",
	}
	for file, format := range samples(t) {
		if o, is := other[filepath.Base(file)]; is {
			format = o
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Read(bytes.NewReader(data), "")
		if report.Format != format {
			t.Errorf("%s is detected as %q, not %q: %v", file, report.Format, format, err)
		}
		if err != nil {
			var refused *belay.Error
			if !errors.As(err, &refused) || refused.Code != belay.CodeCannot || refused.Try == "" {
				t.Errorf("%s: %v", file, err)
			}
			continue
		}
		named, err := Read(packed(t, data), report.Format)
		if err != nil || named.String() != report.String() {
			t.Errorf("%s packed and named reads as %s, not %s: %v", file, named, report, err)
		}
	}
}

// TestConfigTakesThem: the config accepts every format.
func TestConfigTakesThem(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		report := ""
		if strings.Contains("junit trx nunit xunit", format) {
			report = ", report: \"*.xml\""
		}
		if _, err := config.Parse("", []byte("checks: {tests: {command: x, format: "+format+report+"}}")); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func packed(t testing.TB, data []byte) io.Reader {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestRefused(t *testing.T) {
	t.Parallel()
	const noTests, empty, unknown = "no tests", "empty", "not a test report"
	for name, tt := range map[string]struct {
		text, format, says string
		code               belay.Code
	}{
		"nothing":         {"", "", empty, belay.CodeCannot},
		"nothing, forced": {"", "junit", empty, belay.CodeCannot},
		"zeros":           {strings.Repeat("\x00", 5000), "", empty, belay.CodeCannot},
		"blank":           {"\ufeff \r\n\t", "tap", empty, belay.CodeCannot},
		"prose":           {"all is well", "", unknown, belay.CodeCannot},
		"html":            {"<!DOCTYPE html><html><body>404</body></html>", "", "begins with <html>", belay.CodeCannot},
		"json":            {`{"tests": 4}`, "", "other JSON", belay.CodeCannot},
		"entities":        {`<!DOCTYPE a [<!ENTITY b "c">]><testsuite/>`, "", "document type", belay.CodeCannot},
		"zip":             {"PK\x03\x04more", "", "ZIP", belay.CodeCannot},
		"other kind":      {"<TestRun></TestRun>", "nunit", "not nunit but trx", belay.CodeCannot},
		"no such format":  {"x", "sarif", "not a test report format", belay.CodeUsage},
		"not gzip":        {"\x1f\x8b nonsense", "", "cannot be read", belay.CodeCannot},
		"forced on prose": {"all is well", "gotest", "no test events", belay.CodeCannot},
		"cut at once":     {"<testsuites><testsuite name='x'>", "", "stops in the middle", belay.CodeCannot},
	} {
		report, err := Read(strings.NewReader(tt.text), tt.format)
		if belay.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %+v, %v; want %s with %q", name, report, err, tt.code, tt.says)
		}
	}
	report, err := Read(strings.NewReader("<testsuites tests='0'></testsuites>"), "")
	if err != nil || !report.Incomplete || !strings.Contains(strings.Join(report.Warnings, " "), noTests) {
		t.Errorf("a complete report without tests: %+v, %v", report, err)
	}
}

// TestCutPacked: half of a compressed report is Incomplete, with the tests in that half.
func TestCutPacked(t *testing.T) {
	t.Parallel()
	text := "<testsuite>" + strings.Repeat("<testcase name='a'/>", 20_000) + "</testsuite>"
	all, _ := io.ReadAll(packed(t, []byte(text)))
	report, err := Read(bytes.NewReader(all[:len(all)-40]), "")
	if err != nil || report.Passed == 0 || !report.Incomplete {
		t.Errorf("half of it: %+v, %v", report, err)
	}
	report, err = Read(io.MultiReader(strings.NewReader("<testsuite><testcase name='a'/>"), iotest.ErrReader(errors.New("gone"))), "")
	if err != nil || report.Passed != 1 || !report.Incomplete {
		t.Errorf("a reader that fails: %+v, %v", report, err)
	}
}

// TestMemoryIsBounded: memory stays small for large reports: 8 MiB by default, 500 MiB with
// BELAY_LARGE_ALL.
func TestMemoryIsBounded(t *testing.T) {
	size := 8 << 20
	if os.Getenv("BELAY_LARGE_ALL") != "" {
		size = 500 << 20
	}
	for name, text := range map[string]string{
		"junit":  `<testcase classname="a.b.C" name="x"><system-out>` + strings.Repeat("words and more words\n", 40) + "</system-out></testcase>\n",
		"gotest": `{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + strings.Repeat(`{"Action":"output","Package":"p","Test":"TestA","Output":"more\n"}`+"\n", 20) + `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n",
		"tap":    "not ok - a\n  ---\n  said: " + strings.Repeat("much ", 100) + "\n  ...\n",
	} {
		head := map[string]string{"junit": "<testsuite>", "tap": "TAP version 13\n"}[name]
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		report, err := Read(io.MultiReader(strings.NewReader(head), &repeat{text: text, left: int64(size)}), "")
		runtime.GC()
		runtime.ReadMemStats(&after)
		if err != nil || report.Format != name || report.Total == 0 {
			t.Errorf("%s: %s, %v", name, report, err)
		}
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 32<<20 {
			t.Errorf("%s: %d MiB in memory", name, held>>20)
		}
		if sys := after.HeapSys - min(after.HeapSys, before.HeapSys); sys > 128<<20 {
			t.Errorf("%s: the heap grew by %d MiB", name, sys>>20)
		}
		runtime.KeepAlive(report)
	}
}

func FuzzRead(f *testing.F) {
	for file := range samples(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 3000)], "")
		all, _ := io.ReadAll(packed(f, data))
		f.Add(all, "")
	}
	f.Add([]byte("ok 1"), "tap")
	f.Fuzz(func(t *testing.T, data []byte, format string) {
		report, err := Read(bytes.NewReader(data), format)
		var refused *belay.Error
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("unexpected error: %v", err)
		}
		if err := report.Sound(); err != nil {
			t.Error(err)
		}
		if err == nil && report.Total == 0 && !report.Incomplete {
			t.Error("a report without tests is complete")
		}
	})
}
