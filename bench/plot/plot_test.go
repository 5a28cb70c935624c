package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestWrite: the file is XML, with a circle for each point; a higher cost is drawn higher, a larger size further right.
func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.svg")
	lines := map[string][]Point{"one & two": {{10, 3}, {100, 300}}, "flat": {{10, 20}}}
	if err := Write(path, "Cost <of> things", "things", "ms", lines); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var x, y []float64
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			for _, a := range e.Attr {
				v, _ := strconv.ParseFloat(a.Value, 64)
				switch a.Name.Local {
				case "cx":
					x = append(x, v)
				case "cy":
					y = append(y, v)
				}
			}
		}
	}
	// The line that ends highest comes first.
	if len(x) != 3 || len(y) != 3 || x[1] <= x[0] || y[1] >= y[0] || x[2] != x[0] || y[2] >= y[0] {
		t.Errorf("x %v, y %v", x, y)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), ">things<") || !strings.Contains(string(text), "ms<") {
		t.Errorf("%s", text)
	}
}

func TestNothingToDraw(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.svg")
	if err := Write(path, "Nothing", "things", "ms", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
