package lint

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
)

// rdDiagnostic is one diagnostic of the Reviewdog Diagnostic Format.
type rdDiagnostic struct {
	Message  string     `json:"message"`
	Location rdLocation `json:"location"`
	Severity any        `json:"severity"` // name or number
	Source   rdSource   `json:"source,omitzero"`
	Code     rdCode     `json:"code"`
}

type rdLocation struct {
	Path  string  `json:"path"`
	Range rdRange `json:"range,omitzero"`
}

type rdRange struct {
	Start rdPosition `json:"start"`
	End   rdPosition `json:"end,omitzero"`
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

type rdCode struct {
	Value string `json:"value"`
}

type rdSource struct {
	Name string `json:"name"`
}

// rdSeverity parses the name or number of a severity.
func rdSeverity(v any) belay.Severity {
	switch v := v.(type) {
	case string:
		return parseSeverity(v)
	case float64:
		switch v {
		case 1:
			return belay.SeverityError
		case 2:
			return belay.SeverityWarning
		case 3:
			return belay.SeverityNote
		}
	}
	return ""
}

func (d rdDiagnostic) toRemark() Remark {
	at := d.Location.Range
	return Remark{
		File: d.Location.Path, Line: at.Start.Line, Column: at.Start.Column, EndLine: at.End.Line, EndColumn: at.End.Column,
		Severity: rdSeverity(d.Severity), Rule: d.Code.Value, Message: d.Message, Tool: d.Source.Name,
	}
}

// readRDJSON parses one object; its severity and source apply to diagnostics without their own.
func readRDJSON(in *io.LimitedReader) (Report, error) {
	r := Report{Format: RDJSON}
	var severity any
	var source rdSource
	dec := json.NewDecoder(in)
	begun, err := eachKey(dec, func(key string) error {
		switch key {
		case "severity":
			return decodeLenient(dec, &severity)
		case "source":
			return decodeLenient(dec, &source)
		case "diagnostics":
			return eachItem(dec, func() error {
				var d rdDiagnostic
				err := decodeLenient(dec, &d)
				if err == nil {
					r.add(d.toRemark())
				}
				return err
			})
		}
		return skipValue(dec)
	}, "diagnostics")
	for i := range r.Remarks {
		m := &r.Remarks[i]
		if m.Severity == "" {
			m.Severity = rdSeverity(severity)
		}
		if m.Tool == "" {
			m.Tool = plainWord(source.Name)
		}
	}
	if err != nil || !begun {
		return r.readError(in, err, begun)
	}
	return r, nil
}

// readRDJSONL parses a diagnostic on each line. Any other line makes the report incomplete.
func readRDJSONL(from io.Reader) (Report, error) {
	r := Report{Format: RDJSONL}
	err := testreport.EachLine(from, func(line []byte) {
		if s := strings.TrimSpace(string(line)); s != "" {
			var d rdDiagnostic
			if json.Unmarshal([]byte(s), &d) != nil && d.Message == "" {
				r.WarnIncomplete("a line is not a diagnostic: %s", testreport.Clip(testreport.PlainText(s), 80))
			} else {
				r.add(d.toRemark())
			}
		}
	}, func(err error) { r.WarnIncomplete("%s", err) })
	return r, err
}
