package testreport

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

func TestDotNetGoldens(t *testing.T) {
	t.Parallel()
	testutil.Each(t, "testdata/dotnet/*.xml", 5, func(_ string, r io.Reader) (Report, error) { return ReadDotNet(r) })
}

func TestDotNetCutAnywhere(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/dotnet/nunit3.xml")
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(bytes.TrimSpace(whole)) {
		if report, err := ReadDotNet(bytes.NewReader(whole[:n])); err == nil && !report.Incomplete {
			t.Fatalf("cut after %d bytes it is complete: %+v", n, report)
		}
	}
}

func TestDotNetRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<html/>", "<testsuite/>", `<!DOCTYPE a [<!ENTITY b "c">]><TestRun/>`} {
		report, err := ReadDotNet(strings.NewReader(text))
		var refused *belay.Error
		if !errors.As(err, &refused) || refused.Code != belay.CodeCannot {
			t.Errorf("%q: %+v, %v", text, report, err)
		}
	}
}

func FuzzDotNet(f *testing.F) {
	testutil.Seeds(f, "testdata/dotnet/*.xml", 1<<20)
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := ReadDotNet(bytes.NewReader(data))
		var refused *belay.Error
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("unexpected error: %v", err)
		}
		if err := report.Sound(); err != nil {
			t.Error(err)
		}
	})
}
