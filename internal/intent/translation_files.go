package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// languageCodes maps languages to their codes in the names of translation files.
var languageCodes = map[string]string{"german": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl",
	"polish": "pl", "portuguese": "pt", "brazilian": "pt", "swedish": "sv", "danish": "da",
	"english": "en", "finnish": "fi", "turkish": "tr", "russian": "ru", "japanese": "ja", "czech": "cs",
	"norwegian": "nb", "welsh": "cy", "irish": "ga", "greek": "el", "hungarian": "hu", "romanian": "ro",
	"ukrainian": "uk", "chinese": "zh", "korean": "ko", "arabic": "ar", "hebrew": "he", "catalan": "ca", "basque": "eu",
	"croatian": "hr", "slovak": "sk", "slovenian": "sl", "estonian": "et", "latvian": "lv",
	"lithuanian": "lt", "icelandic": "is", "bulgarian": "bg", "serbian": "sr", "vietnamese": "vi", "flemish": "nl",
	"swiss": "ch", "scottish": "gd", "gaelic": "gd", "luxembourgish": "lb"}

// textNouns are words for things in a language: "the Polish strings", "Dutch visitors read".
var textNouns = lazyregexp.Of(`string strings text texts label labels wording locale version visitors readers users file
	translation translations translated umlauts word words typo typos term terms ui interface says`)

// ambiguousCodes are codes that are also common words in some language.
var ambiguousCodes = lazyregexp.Of(`it da de es en no he is et id hi sl uk`)

// namedLanguages returns the codes of the languages that the message names.
func (n nouns) namedLanguages() (codes []string) {
	for name, code := range languageCodes {
		if strings.Contains(n.text, " "+name+" ") || !ambiguousCodes.Has(code) && strings.Contains(n.text, " "+code+" ") {
			codes = append(codes, code)
		}
	}
	return codes
}

// namesTranslatedText reports whether the message mentions text in a language, not only the
// language: "Spanish strings", "turkish file".
func (n nouns) namesTranslatedText() bool {
	return slices.ContainsFunc(strings.Fields(n.text), textNouns.Has)
}

// hasLanguageCode reports whether a file's name, or a folder of it, contains a language's code.
func hasLanguageCode(low, code string) bool {
	marks := func(r rune) bool { return r == '.' || r == '_' || r == '-' }
	return slices.Contains(strings.FieldsFunc(path.Base(low), marks), code) ||
		slices.Contains(strings.FieldsFunc(path.Base(path.Dir(low)), marks), code) ||
		slices.Contains(strings.Split(low, "/"), code)
}

// isTranslationPath reports a path of the texts of one language.
func isTranslationPath(low string) bool {
	for _, mark := range []string{"locale", "lang", "i18n", "l10n", "translation", "messages", "strings", "/res/values", "intl"} {
		if strings.Contains(low, mark) {
			return true
		}
	}
	switch path.Ext(low) {
	case ".po", ".arb", ".ftl", ".xlf", ".strings":
		return true
	}
	return false
}

// translationMatchers return which files contain the texts that the message mentions: those of the
// named languages, or of all if none is named.
func (n nouns) translationMatchers() (is []func(low, base string) bool) {
	codes := n.namedLanguages()
	ours := func(low string) bool {
		return slices.ContainsFunc(codes, func(c string) bool { return hasLanguageCode(low, c) })
	}
	if len(codes) > 0 && n.namesTranslatedText() {
		is = append(is, func(low, _ string) bool { return isTranslationPath(low) && ours(low) })
	}
	if n.mentionsAny([]string{"translation", "translations", "translate", "locale"}) {
		is = append(is, func(low, base string) bool { return (len(codes) == 0 || ours(low)) && isCatalogue(low, base) })
	}
	return is
}

// isCatalogue reports a file of translations, in any language.
func isCatalogue(low, base string) bool {
	return strings.HasSuffix(base, ".po") || strings.Contains(low, "/locales/") || strings.HasSuffix(base, ".arb") ||
		base == "strings.xml" || strings.Contains(low, "/l10n/")
}
