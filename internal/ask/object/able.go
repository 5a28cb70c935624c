package object

// Able reports a word for what somebody can do with a thing: when it is asked for, nobody can yet.
func Able(w string) bool {
	switch w {
	case "configurable", "exportable", "printable", "downloadable", "searchable", "filterable", "shareable", "customisable", "customizable", "translatable":
		return true
	}
	return false
}
