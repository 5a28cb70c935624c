package lint

import (
	"bytes"
	"encoding/json"
)

// eachKey reads an object and calls value for each key; has reports whether one of them is named.
func eachKey(dec *json.Decoder, value func(key string) error, named string) (has bool, err error) {
	tok, err := dec.Token()
	if err != nil {
		return false, err
	}
	if tok != json.Delim('{') {
		return false, skipRest(dec, tok)
	}
	for dec.More() {
		if tok, err = dec.Token(); err != nil {
			return has, err
		}
		key, _ := tok.(string)
		has = has || key == named
		if err := value(key); err != nil {
			return has, err
		}
	}
	_, err = dec.Token()
	return has, err
}

// eachItem reads an array and calls value for each of its items.
func eachItem(dec *json.Decoder, value func() error) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	if tok != json.Delim('[') {
		return skipRest(dec, tok)
	}
	for dec.More() {
		if err := value(); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// skipValue skips one value without storing it.
func skipValue(dec *json.Decoder) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	return skipRest(dec, tok)
}

// skipRest skips the rest of the value that begins with tok.
func skipRest(dec *json.Decoder, tok json.Token) error {
	depth := 0
	for {
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return nil
		}
		var err error
		if tok, err = dec.Token(); err != nil {
			return err
		}
	}
}

// decodeLenient decodes one value; a field of a wrong type is ignored.
func decodeLenient(dec *json.Decoder, into any) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Decode(into) // the fields that fit are set
	return nil
}
