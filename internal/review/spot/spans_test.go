package spot

import (
	"slices"
	"testing"
)

func TestLineList(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		spans []Span
		read  string
	}{
		"12":            {[]Span{{12, 12}}, "12"},
		"12 and":        {[]Span{{12, 12}}, "12"},
		"12:5":          {[]Span{{12, 12}}, "12:5"},
		"12: no column": {[]Span{{12, 12}}, "12"},
		"12C3-14C1":     {[]Span{{12, 14}}, "12C3-14C1"},
		"12-20":         {[]Span{{12, 20}}, "12-20"},
		"12–L20":        {[]Span{{12, 20}}, "12–L20"},
		"12:1..20:7":    {[]Span{{12, 20}}, "12:1..20:7"},
		"20-12":         {[]Span{{20, 20}}, "20"},
		"12-":           {[]Span{{12, 12}}, "12"},
		"12,18-20":      {[]Span{{12, 12}, {18, 20}}, "12,18-20"},
		"12/L14, and":   {[]Span{{12, 12}, {14, 14}}, "12/L14"},
		"30+":           {[]Span{{30, 0}}, "30+"},
		"30+4":          {[]Span{{30, 30}}, "30"},
		"30ff":          {[]Span{{30, 0}}, "30ff"},
		"0":             {nil, ""},
		"99999999":      {nil, ""},
		"x":             {nil, ""},
		"":              {nil, ""},
	} {
		spans, size := LineList(text, 0)
		if !slices.Equal(spans, want.spans) || text[:size] != want.read {
			t.Errorf("%q: %v, and %q was read; want %v, %q", text, spans, text[:size], want.spans, want.read)
		}
	}
}

func TestLineCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"L12": "L12", "l.12-14 is": "l.12-14", "ln12": "ln12", "L7C3-L9C1": "L7C3-L9C1", "Lx": "", "12": "", "L": ""} {
		if _, size := LineCode(text); text[:size] != want {
			t.Errorf("%q: %q was read, want %q", text, text[:size], want)
		}
	}
}
