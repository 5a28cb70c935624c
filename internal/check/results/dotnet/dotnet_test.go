package dotnet

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/golden"
)

func TestGoldens(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/*.xml")
	if len(files) < 5 {
		t.Fatalf("only %d reports", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if err := report.Sound(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		golden.JSON(t, file, report)
	}
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
	files, _ := filepath.Glob("testdata/*.xml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
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
