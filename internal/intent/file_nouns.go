package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// filesByHead returns files with a name that ends in a noun of the message, if no other file's name
// does: "the reminder" is AppointmentReminder if nothing else is called a reminder.
func (n nouns) filesByHead(files []string) []string {
	if len(files) > 3000 {
		return nil // among so many similar names, none is unique
	}
	of := map[string][]string{}
	for _, f := range files {
		if isTestFile(f) {
			continue
		}
		if all := headParts(f); len(all) > 1 {
			stem := Stem(all[len(all)-1])
			of[stem] = append(of[stem], f)
		}
	}
	var out []string
	for stem, fs := range of {
		if len(fs) > 1 || len(stem) < 5 {
			continue
		}
		if all := headParts(fs[0]); n.hasPart(all[len(all)-1]) {
			out = append(out, fs[0])
		}
	}
	slices.Sort(out)
	return out
}

// filesByFront returns files with a name that begins with a noun of the message, if no other file's
// name contains it: "undo" is undo_stack if nothing else is about undoing.
func (n nouns) filesByFront(files []string) (out []string) {
	if len(files) > 3000 {
		return nil
	}
	having := map[string]int{}
	for _, f := range files {
		if isTestFile(f) {
			continue
		}
		for _, part := range append(splitName(fileStem(path.Base(f))), splitName(subjectFolder(f))...) {
			having[Stem(part)]++
		}
	}
	for _, f := range files {
		all := splitName(fileStem(path.Base(f)))
		if isTestFile(f) || n.isSpared(f) || len(all) != 2 || plainParts.Has(all[0]) || len(all[0]) < 3 {
			continue
		}
		if s := Stem(all[0]); n.wordStems[s] && having[s] == 1 {
			out = append(out, f)
		}
	}
	return out
}

// headParts returns the parts of a file's name without the plain ones at the end.
func headParts(file string) []string {
	all := splitName(fileStem(path.Base(file)))
	for len(all) > 1 && plainParts.Has(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	return all
}

// plainParts are parts of a file's name that state the kind of file, not its subject.
var plainParts = lazyregexp.Of(`screen view views page controller service component activity fragment test tests spec
	model handler repository adapter html main index
		manager mailer helper util utils mod lib app init dialog menu widget module base impl store client server
	provider route router config settings hook use api src core types list detail show edit factory job task worker
	plugin base default data user-interface ui it mqtt http grpc rest scheduler exporter renderer generator processor
		class calculator notifier sender gateway badge banner bar sheet engine reader writer repo types interface
	manager dao dto entity job cog cmd command commands`)

// matchedParts returns the parts of a file's name that nouns of the message match; none if the
// file's subject is not among them.
func (n nouns) matchedParts(file string) []string {
	base := fileStem(path.Base(file))
	all := splitName(base)
	strange := func(w string) bool { return !n.hasPart(w) }
	if slices.ContainsFunc(all, func(w string) bool { return isTellingPart(w) && strange(w) }) {
		return nil // the case of nearly all files of a large repository
	}
	about := n.aboutParts(file, base, all)
	if slices.ContainsFunc(about, strange) {
		return nil
	}
	var got []string
	for _, w := range about {
		got = append(got, Stem(w))
	}
	if len(got) == 0 {
		return nil
	}
	for _, w := range slices.Concat(all, splitName(subjectFolder(file))) {
		if n.hasPart(w) && !slices.Contains(got, Stem(w)) {
			got = append(got, Stem(w))
		}
	}
	return got
}

// isTellingPart reports whether a part of a name states the file's subject.
func isTellingPart(part string) bool { return len(part) > 1 && !plainParts.Has(part) }

// aboutParts returns the parts of a file's name that state its subject. If they only state its
// kind, they are those of its folder, and none if that has no subject either.
func (n nouns) aboutParts(file, base string, all []string) (about []string) {
	for _, w := range all {
		if isTellingPart(w) {
			about = append(about, w)
		}
	}
	if len(about) == 0 && len(all) > 1 {
		for _, w := range all {
			if weakTopics.Has(w) {
				about = append(about, w)
			}
		}
	}
	if len(about) > 0 {
		return about
	}
	view := base == "show" || base == "index" || base == "edit"
	if view && !n.wordStems["page"] && !n.wordStems["view"] && !n.wordStems["screen"] && !n.wordStems["pag"] {
		return nil
	}
	if !view && !isGenericName(base, all) {
		return all
	}
	if about = splitName(subjectFolder(file)); len(about) != 1 || plainParts.Has(about[0]) || dirs.Has(about[0]) {
		return nil
	}
	return about
}

// isGenericName reports whether a name states only the kind of file. A few plain words are a
// subject by themselves: the settings, a list.
func isGenericName(base string, all []string) bool {
	if isOneOf(base, "main", "index", "mod", "init") || genericNames.Has(base) || len(all) == 0 {
		return true
	}
	if len(all) > 1 || !plainParts.Has(all[0]) {
		return false
	}
	switch all[0] {
	case "config", "settings", "list", "mailer":
		return false
	}
	return true
}

// subjectFolder returns the name of a file's folder. Folders that only sort files by kind are
// skipped, as in roles/nginx/tasks/main.yml.
func subjectFolder(file string) string {
	dir := path.Dir(file)
	for sortingFolders.Has(path.Base(dir)) || strings.HasPrefix(path.Base(dir), "[") {
		dir = path.Dir(dir)
	}
	return path.Base(dir)
}

// sortingFolders are folders that sort the files of their parent by kind.
var sortingFolders = lazyregexp.Of(`tasks vars handlers defaults meta files`)

// genericNames are file names that state only the kind of file; the subject is the folder's name.
var genericNames = lazyregexp.Of(`deployment kustomization +page +server +layout route page index variables outputs values main chart`)

// peopleNouns are users of a thing. If the message names something else as well, that is meant, and
// not the file about them.
var peopleNouns = lazyregexp.Of(`user guest driver employee donor patient player pupil member customer student owner teacher
	parent tenant volunteer school client visitor reader author admin staff couple kid child nurse doctor coach trainer manager editor
	subscriber seller buyer vendor supplier partner colleague resident respondent voter team bot`)

// isAboutPeople reports a file about users if the message names only users: DriverController and
// "drivers have asked".
func isAboutPeople(file string, got []string) bool {
	return len(splitName(fileStem(path.Base(file)))) > 1 && !slices.ContainsFunc(got, func(w string) bool {
		return !peopleNouns.Has(w) && !peopleNouns.Has(w+"e") && !peopleNouns.Has(strings.TrimSuffix(w, "i")+"y") && !plainParts.Has(w)
	})
}

// weakTopics are plain parts that are the subject if the others state even less: SettingsActivity.
var weakTopics = lazyregexp.Of("settings config home menu data edit detail")

// viewParts are plain parts for views of a thing. A file with the bare name is the thing itself.
var viewParts = lazyregexp.Of("view screen page list detail show edit index fragment activity dialog row cell")

// isViewOnly reports a file about a view of a thing, if the thing has a file too and the message
// does not mention a view.
func (n nouns) isViewOnly(file string, files []string) bool {
	var about []string
	seen := false
	for _, w := range splitName(fileStem(path.Base(file))) {
		if viewParts.Has(w) {
			seen = true
			if n.hasPart(w) {
				return false
			}
			continue
		}
		about = append(about, w)
	}
	if n.wordStems["page"] || n.wordStems["screen"] || n.wordStems["view"] {
		return false
	}
	return seen && len(about) == 1 && slices.ContainsFunc(files, func(f string) bool {
		all := splitName(fileStem(path.Base(f)))
		return len(all) == 1 && Stem(all[0]) == Stem(about[0])
	})
}

var dirs = lazyregexp.Of(`
	bot src lib app cmd docs scripts internal tests layouts content scenes prod staging dev public static assets resources views
	components templates helpers emails pages screens services models controllers jobs styles data hooks types workflows`)

// shortForms maps short forms in file names to stems of words.
var shortForms = map[string]string{"pub": "publish", "auth": "authenticat", "db": "databas", "msg": "messag",
	"img": "imag", "nav": "navigat", "doc": "docs", "uploader": "upload", "picker": "pick",
	"spawner": "spawn", "parser": "pars", "mailer": "mail", "importer": "import", "tracker": "track", "loader": "load", "decoder": "decod"}

// synonyms maps words to others with the same meaning.
var synonyms = map[string]string{"email": "mail", "mail": "email", "emails": "mail", "mails": "email", "mailer": "mail",
	"pic": "picture", "cfg": "config", "config": "configuration", "configuration": "config", "repo": "repository", "nav": "navigation",
	"navbar": "navigation", "ad": "advert", "login": "sign-in", "signin": "login", "cart": "basket", "basket": "cart",
	"photo": "picture", "picture": "photo", "stats": "statistics", "statistics": "stats", "srs": "repetition",
	"favourites": "favorites", "favorites": "favourites", "colors": "colours", "colours": "colors", "color": "colour",
	"colour": "color", "ai": "bot", "voice": "speech", "tts": "speech", "thumbs": "thumbnails", "thumb": "thumbnail",
	"idx": "index", "docs": "documentation", "auth": "authentication", "wifi": "wlan", "wlan": "wifi",
	"perms": "permissions", "prefs": "preferences", "preferences": "settings", "settings": "preferences",
	"admin": "administration", "pwd": "password"}

// hasPart reports whether the message mentions a part of a file's name. It caches the answers: a
// large repository has few parts, and asks for each many times.
func (n nouns) hasPart(part string) bool {
	yes, known := n.partCache[part]
	if !known {
		yes = n.mentionsPart(part)
		n.partCache[part] = yes
	}
	return yes
}

func (n nouns) mentionsPart(part string) bool {
	s := Stem(part)
	if n.wordStems[s] {
		return true
	}
	if twin, ok := synonyms[part]; ok && n.wordStems[Stem(twin)] {
		return true
	}
	for _, end := range []string{"er", "or"} {
		if doer, ok := strings.CutSuffix(part, end); ok && len(doer) > 4 {
			for w := range n.wordStems {
				if strings.HasPrefix(w, doer) && len(w) > len(doer)+2 {
					return true // "notifier" matches notifications
				}
			}
		}
	}
	if long, ok := shortForms[part]; ok && len(long) > 4 && part != "mailer" {
		for w := range n.wordStems {
			if strings.HasPrefix(w, long) || part == "spawner" && strings.HasSuffix(w, long) {
				return true
			}
		}
	}
	return false
}
