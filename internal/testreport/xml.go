package testreport

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/belay-dev/belay/internal/belay"
)

// Limits of an XML document.
const (
	maxAttr = 64 << 10  // bytes kept of an attribute
	maxText = 256 << 10 // bytes kept of a text between two tags
	maxTag  = 1 << 20   // bytes of a tag

	maxElements = 256 // nesting depth
)

// maxFile limits what is read of one file, in bytes. Files are streamed, so this limits time, not
// memory.
const maxFile = 1 << 30

var (
	errDoctype = belay.Refuse(belay.CodeCannot, "have the program write XML without a document type",
		"the report declares its own document type, which belay does not read")
	errTag  = errors.New("a tag is over 1 MiB")
	errDeep = fmt.Errorf("elements nested more than %d deep", maxElements)
)

// XML reads the elements of a document that some program wrote. It detects the encoding and fixes
// common errors. It only resolves XML's five predefined entities, rejects a document type with
// declarations, has one token in memory at a time, and does not check that tags match.
type XML struct {
	text    *UTF8Reader
	limited *io.LimitedReader
	dec     *xml.Decoder
}

// NewXML reads at most maxFile bytes of r.
func NewXML(r io.Reader) *XML {
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	text := NewUTF8Reader(limited)
	dec := xml.NewDecoder(newXMLRepairer(text))
	dec.Strict = false
	return &XML{text: text, limited: limited, dec: dec}
}

// Each calls do for each start tag, end tag and text, which is valid until do returns, until do
// returns an error. broken says why the rest of the document cannot be read. The error is from do,
// a *belay.Error with CodeCannot for declared entities, or from the reader.
func (x *XML) Each(do func(xml.Token) error) (broken string, err error) {
	for {
		tok, err := x.dec.RawToken()
		var bad *xml.SyntaxError
		switch {
		case err == io.EOF:
			return "", nil
		case errors.As(err, &bad):
			return fmt.Sprintf("the report is broken at line %d: %s", bad.Line, bad.Msg), nil
		case errors.Is(err, errTag):
			return "the report is broken: " + err.Error(), nil
		case err != nil:
			return "", err
		}
		if err := do(tok); err != nil {
			return "", err
		}
	}
}

// ended returns why a document is incomplete after Each, with this number of open elements; "" if
// it is complete. Too deep nesting is not an error of the reader.
func ended(broken string, err error, open int) (string, error) {
	switch {
	case err == errDeep:
		return err.Error(), nil
	case err == nil && broken == "" && open > 0:
		return "the report stops in the middle", nil
	}
	return broken, err
}

// warn adds warnings about what was not read or was replaced.
func (x *XML) warn(r *Report) {
	if x.limited.N <= 0 {
		r.WarnIncomplete("the report is over %d MiB; the rest was not read", maxFile>>20)
	}
	if x.text.Replaced {
		r.Warn("bytes that are not text were replaced")
	}
}

// Attrs returns the attributes of a tag by their local names; of two with the same name the first.
func Attrs(t xml.StartElement) map[string]string {
	attrs := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		if _, twice := attrs[a.Name.Local]; !twice {
			attrs[a.Name.Local] = a.Value
		}
	}
	return attrs
}
