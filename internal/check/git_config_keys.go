package check

import (
	"strings"

	"github.com/belay-dev/belay/internal/git"
)

// Reasons why an attempt must not set a key of git's config.
const (
	whyProgram  = "git runs what it names"
	whyLoads    = "it makes git load another config"
	whyHooks    = "git runs every hook in that folder"
	whyTemplate = "git copies hooks from that folder"
	whySends    = "it decides where git pushes to and fetches from"
	whyTrust    = "it decides which hosts git trusts"
	whyHides    = "it hides files from git"
	whyTree     = "it decides which folder git works in"
	whyFormat   = "it decides how git reads the repository"
	whyFilters  = "it decides which filters run on which files"
	whyUnsafe   = "it removes a protection"
)

// harmfulKeys are keys as section.name or section.*.name, where * means any subsection or none. The
// name * is every key of the section.
var harmfulKeys = map[string]string{
	"core.fsmonitor": whyProgram, "core.hookspath": whyHooks, "core.pager": whyProgram, "core.editor": whyProgram,
	"core.sshcommand": whyProgram, "core.askpass": whyProgram, "core.gitproxy": whyProgram, "core.alternaterefscommand": whyProgram,
	"core.attributesfile": whyFilters, "core.excludesfile": whyHides, "core.worktree": whyTree, "core.bare": whyTree,
	"core.repositoryformatversion": whyFormat, "core.protecthfs": whyUnsafe, "core.protectntfs": whyUnsafe,

	"alias.*": whyProgram, "pager.*": whyProgram, "hook.*": whyProgram, "sendemail.*": whyProgram, "imap.*": whyProgram,
	"filter.*.clean": whyProgram, "filter.*.smudge": whyProgram, "filter.*.process": whyProgram,
	"diff.external": whyProgram, "diff.*.command": whyProgram, "diff.*.textconv": whyProgram, "merge.*.driver": whyProgram,
	"difftool.*.cmd": whyProgram, "difftool.*.path": whyProgram, "mergetool.*.cmd": whyProgram, "mergetool.*.path": whyProgram,
	"man.*.cmd": whyProgram, "man.*.path": whyProgram, "browser.*.cmd": whyProgram, "browser.*.path": whyProgram,
	"web.browser": whyProgram, "help.browser": whyProgram, "instaweb.*": whyProgram, "guitool.*.cmd": whyProgram,
	"interactive.difffilter": whyProgram, "sequence.editor": whyProgram,
	"credential.*.helper": whyProgram, "gpg.*.program": whyProgram, "gpg.*.defaultkeycommand": whyProgram,
	"trailer.*.command": whyProgram, "trailer.*.cmd": whyProgram, "tar.*.command": whyProgram,
	"uploadpack.packobjectshook": whyProgram, "gc.recentobjectshook": whyProgram,
	"receive.procreceiverefs": whyProgram, "lfs.customtransfer.*.path": whyProgram, "lfs.customtransfer.*.args": whyProgram,
	"lfs.extension.*.clean": whyProgram, "lfs.extension.*.smudge": whyProgram, "lfs.standalonetransferagent": whyProgram,

	"include.path": whyLoads, "includeif.*.path": whyLoads, "init.templatedir": whyTemplate,
	"extensions.*": whyFormat,

	"remote.*.url": whySends, "remote.*.pushurl": whySends, "remote.*.uploadpack": whyProgram, "remote.*.receivepack": whyProgram,
	"remote.*.vcs": whyProgram, "remote.*.proxy": whySends, "url.*.insteadof": whySends, "url.*.pushinsteadof": whySends,
	"lfs.*.url": whySends, "lfs.*.pushurl": whySends, "lfs.url": whySends, "lfs.pushurl": whySends,

	"protocol.*": whyUnsafe, "safe.*": whyUnsafe,
	"http.*.proxy": whySends, "http.*.curloptresolve": whySends, "http.*.cookiefile": whyTrust, "http.*.savecookies": whyTrust,
	"http.*.sslverify": whyTrust, "http.*.sslcainfo": whyTrust, "http.*.sslcapath": whyTrust, "http.*.sslcert": whyTrust,
	"http.*.sslkey": whyTrust, "http.*.extraheader": whyTrust, "http.*.followredirects": whyTrust, "http.*.proxysslcainfo": whyTrust,
	"http.*.schannelcheckrevoke": whyTrust,
}

// switchValues are keys of harmfulKeys with values that are only switches and run nothing.
var switchValues = map[string]bool{
	"core.fsmonitor": true, "pager.*": true, "core.bare": true, "core.protecthfs": true, "core.protectntfs": true, "http.*.sslverify": true,
}

// whyDangerous returns why value must not be set for key, "" if it is known to run nothing and to
// lead nowhere. remotes are the names of the previous remotes.
func whyDangerous(key, value string, remotes map[string]bool) string {
	section, sub, name := git.SplitKey(key)
	form := harmfulForm(section, sub, name)
	why := harmfulKeys[form]
	if why != "" && switchValues[form] && isHarmlessValue(form, value) {
		return ""
	}
	switch {
	case why != "":
		return why
	case section == "submodule" && name == "update" && strings.HasPrefix(value, "!"):
		return whyProgram
	case section == "submodule" && name == "url" && strings.Contains(value, "::"):
		return whyProgram // ext::, or any git-remote-NAME
	case section == "branch" && (name == "remote" || name == "pushremote"), section == "remote" && name == "pushdefault":
		if value != "." && value != "" && !remotes[value] {
			return whySends // an address in the place of a remote's name
		}
	case strings.HasPrefix(value, "!"):
		return whyProgram // in every key with a command, this runs it in a shell
	}
	return ""
}

// harmfulForm returns the form of a key in harmfulKeys, "" if there is none.
func harmfulForm(section, sub, name string) string {
	for _, form := range []string{section + "." + name, section + ".*." + name, section + ".*"} {
		if _, known := harmfulKeys[form]; known && (sub == "" || strings.Contains(form, "*")) {
			return form
		}
	}
	// a subsection of two parts: lfs.customtransfer.NAME.path
	if first, _, ok := strings.Cut(sub, "."); ok {
		form := section + "." + strings.ToLower(first) + ".*." + name
		if _, known := harmfulKeys[form]; known {
			return form
		}
	}
	return ""
}

// isHarmlessValue reports whether the value of a switch has no effect beyond git's default.
func isHarmlessValue(form, value string) bool {
	yes, no := false, false
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		yes = true
	case "false", "no", "off", "0", "":
		no = true
	}
	switch form {
	case "core.fsmonitor", "pager.*":
		return yes || no
	case "core.bare":
		return no
	}
	return yes
}

// submoduleKeys are the keys that git itself writes for a submodule's repository.
var submoduleKeys = map[string]bool{
	"core.worktree": true, "core.repositoryformatversion": true, "core.bare": true, "remote.*.url": true,
}
