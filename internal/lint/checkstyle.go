package lint

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
)

// readCheckstyle parses error elements within file elements. Those of checkstyle's severity ignore
// are left out.
func readCheckstyle(in io.Reader) (Report, error) {
	r := Report{Format: Checkstyle}
	x := testreport.NewXML(in)
	file, depth, rooted := "", 0, false
	broken, err := x.Each(func(tok xml.Token) error {
		switch t := tok.(type) {
		case xml.StartElement:
			depth++
			if !rooted && t.Name.Local != "checkstyle" {
				return belay.Refuse(belay.CodeCannot, formatAdvice,
					"the file is not a checkstyle report: it starts with <%s>", plainWord(t.Name.Local))
			}
			rooted = true
			switch attrs := testreport.Attrs(t); t.Name.Local {
			case "file":
				file = attrs["name"]
			case "error":
				r.addCheckstyle(file, attrs)
			}
		case xml.EndElement:
			depth--
		}
		return nil
	})
	switch {
	case err != nil:
		return r, err
	case !rooted:
		return r, belay.Refuse(belay.CodeCannot, formatAdvice, "the file is not a checkstyle report")
	case broken != "":
		r.WarnIncomplete("%s", broken)
	case depth > 0:
		r.WarnIncomplete("the report stops in the middle")
	}
	return r, nil
}

func (r *Report) addCheckstyle(file string, attrs map[string]string) {
	if strings.EqualFold(attrs["severity"], "ignore") {
		return
	}
	m := Remark{File: file, Severity: parseSeverity(attrs["severity"]), Rule: attrs["source"], Message: attrs["message"]}
	m.Line, _ = strconv.Atoi(attrs["line"])
	m.Column, _ = strconv.Atoi(attrs["column"])
	r.add(m)
}
