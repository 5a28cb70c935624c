package lint

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
)

// readCheckstyle reads file elements with error elements in them. What checkstyle
// itself calls ignore is left out.
func readCheckstyle(in io.Reader) (Report, error) {
	r := Report{Format: Checkstyle}
	x := testreport.NewXML(in)
	file, depth, rooted := "", 0, false
	for {
		tok, err := x.Token()
		var bad *testreport.Broken
		switch {
		case (err == io.EOF || errors.As(err, &bad)) && !rooted:
			return r, belay.Refuse(belay.CodeCannot, useAnother, "the file is not a checkstyle report")
		case err == io.EOF:
			if depth > 0 {
				r.Lack("the report stops in the middle")
			}
			return r, nil
		case errors.As(err, &bad):
			r.Lack("%s", bad.Why)
			return r, nil
		case err != nil:
			return r, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			depth++
			if !rooted && t.Name.Local != "checkstyle" {
				return r, belay.Refuse(belay.CodeCannot, useAnother,
					"the file is not a checkstyle report: it starts with <%s>", word(t.Name.Local))
			}
			rooted = true
			switch attrs := testreport.Attrs(t); t.Name.Local {
			case "file":
				file = attrs["name"]
			case "error":
				r.checkstyle(file, attrs)
			}
		case xml.EndElement:
			depth--
		}
	}
}

func (r *Report) checkstyle(file string, attrs map[string]string) {
	if strings.EqualFold(attrs["severity"], "ignore") {
		return
	}
	m := Remark{File: file, Severity: severity(attrs["severity"]), Rule: attrs["source"], Message: attrs["message"]}
	m.Line, _ = strconv.Atoi(attrs["line"])
	m.Column, _ = strconv.Atoi(attrs["column"])
	r.add(m)
}
