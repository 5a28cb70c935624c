package dotnet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testutil"
)

func TestGoldens(t *testing.T) {
	t.Parallel()
	testutil.Each(t, "testdata/*.xml", 5, func(_ string, r io.Reader) (testreport.Report, error) { return Read(r) })
}

func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/nunit3.xml")
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(bytes.TrimSpace(whole)) {
		if report, err := Read(bytes.NewReader(whole[:n])); err == nil && !report.Incomplete {
			t.Fatalf("cut after %d bytes it reads as whole: %+v", n, report)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<html/>", "<testsuite/>", `<!DOCTYPE a [<!ENTITY b "c">]><TestRun/>`} {
		report, err := Read(strings.NewReader(text))
		var refused *belay.Error
		if !errors.As(err, &refused) || refused.Code != belay.CodeCannot {
			t.Errorf("%q: %+v, %v", text, report, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	testutil.Seeds(f, "testdata/*.xml", 1<<20)
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := Read(bytes.NewReader(data))
		var refused *belay.Error
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("an error of nobody's: %v", err)
		}
		if err := report.Sound(); err != nil {
			t.Error(err)
		}
	})
}
