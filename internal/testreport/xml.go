package testreport

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/belay-dev/belay/internal/belay"
)

// Bounds on one piece of XML.
const (
	maxAttr = 64 << 10  // bytes kept of an attribute
	maxText = 256 << 10 // bytes kept of a text between two tags
	maxTag  = 1 << 20   // bytes of a tag

	maxElements = 256 // elements within each other
)

// maxFile is how much of one file is read, in bytes. Everything is read as a stream,
// so this bounds time, not memory.
const maxFile = 1 << 30

var (
	errDoctype = belay.Refuse(belay.CodeCannot, "have the program write XML without a document type",
		"the report declares its own document type, which belay does not read")
	errTag  = errors.New("a tag is over 1 MiB")
	errDeep = fmt.Errorf("elements nested more than %d deep", maxElements)
)

// XML reads the elements of a document that some program wrote, with encodings told
// apart and common faults put right. It resolves no entity but XML's own five, refuses
// a document type with declarations, holds one token at a time, and does not check
// that tags match.
type XML struct {
	text    *UTF8Reader
	limited *io.LimitedReader
	dec     *xml.Decoder
}

// NewXML reads at most MaxFile bytes of r.
func NewXML(r io.Reader) *XML {
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	text := NewUTF8Reader(limited)
	dec := xml.NewDecoder(newXMLRepairer(text))
	dec.Strict = false
	return &XML{text: text, limited: limited, dec: dec}
}

// Each calls do for each start tag, end tag and text, which is valid until do returns, up to do's first error. broken
// says why nothing more can be read before the end. The error is do's, a *belay.Error with CodeCannot for declared
// entities, or the reader's own.
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

// ended says why a document is not whole of which Each has read all it could, with so many elements open: "" where it
// is. Elements that are nested too deep are no error of the reading.
func ended(broken string, err error, open int) (string, error) {
	switch {
	case err == errDeep:
		return err.Error(), nil
	case err == nil && broken == "" && open > 0:
		return "the report stops in the middle", nil
	}
	return broken, err
}

// warn says in a report what of the document was not read as it is.
func (x *XML) warn(r *Report) {
	if x.limited.N <= 0 {
		r.WarnIncomplete("the report is over %d MiB; the rest was not read", maxFile>>20)
	}
	if x.text.Replaced {
		r.Warn("bytes that are not text were replaced")
	}
}

// Attrs returns the attributes of a tag by their names without prefix; of two with one
// name the first.
func Attrs(t xml.StartElement) map[string]string {
	attrs := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		if _, twice := attrs[a.Name.Local]; !twice {
			attrs[a.Name.Local] = a.Value
		}
	}
	return attrs
}
