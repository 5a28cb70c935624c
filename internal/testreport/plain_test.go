package testreport

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/testutil"
)

// plainFormat returns the format in the name of a testdata file, before its extension.
func plainFormat(file string) string {
	parts := strings.Split(filepath.Base(file), ".")
	return parts[len(parts)-2]
}

func TestPlainGoldens(t *testing.T) {
	t.Parallel()
	testutil.Each(t, "testdata/plain/*.txt", 15, func(file string, r io.Reader) (Report, error) {
		report, err := readPlain(plainFormat(file), r)
		if data, rerr := os.ReadFile(file); rerr != nil {
			t.Error(rerr)
		} else if any, ok, _ := ReadAnyPlain(bytes.NewReader(data)); ok && any.Format != report.Format {
			t.Errorf("%s is detected as %s", file, any.Format)
		}
		return report, err
	})
}

// TestAnyPlainIsModest: prose, and the summaries of two runners, are not a report.
func TestAnyPlainIsModest(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":  "",
		"prose":    "all 12 tests passed in 3 minutes\nok then\nFAIL to see why\n",
		"two":      "3 passed in 0.1s\nok  \texample.com/x\t0.1s\n",
		"a server": "listening on :8080\n# tests are fun\n",
		"a list":   "2 warnings in 1.0s\n",
	} {
		if report, ok, err := ReadAnyPlain(strings.NewReader(text)); ok || err != nil {
			t.Errorf("%s reads as %+v, %v", name, report, err)
		}
	}
}

func FuzzPlain(f *testing.F) {
	testutil.Seeds(f, "testdata/plain/*.txt", 1<<20)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, v := range runnerReaders {
			report, err := readPlain(v.format, bytes.NewReader(data))
			if err != nil {
				t.Errorf("unexpected error: %v", err)
			}
			if err := report.Sound(); err != nil {
				t.Error(err)
			}
		}
		if report, ok, _ := ReadAnyPlain(bytes.NewReader(data)); ok && report.Sound() != nil {
			t.Error(report.Sound())
		}
	})
}

func BenchmarkAnyPlain(b *testing.B) {
	data := []byte(strings.Repeat("a line of what a program says while it works\n    --- an indented one\n", 20_000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := ReadAnyPlain(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
