package intent

import (
	"path"
	"slices"
	"strings"
)

// alias is a word that people use for files with another name.
type alias struct {
	words   []string                    // any of them occurs
	beside  []string                    // if set, any of these has to occur as well
	prefix  []string                    // prefixes of the file's name
	matches func(low, base string) bool // or a test of the file's path and name in lower case
}

// commonAliases are the aliases that are valid in any project.
var commonAliases = []alias{
	{words: []string{"readme"}, prefix: []string{"readme"}},
	{words: []string{"changelog"}, prefix: []string{"changelog"}},
	{words: []string{"login", "log in", "sign in", "signin", "logged in"}, prefix: []string{"auth", "session", "login"}},
	{words: []string{"signup", "sign up", "register", "registration"}, prefix: []string{"regist", "signup"}},
	{words: []string{"usernames", "username"}, matches: func(_, base string) bool { return fileStem(base) == "user" }},
	{words: []string{"container", "containers", "docker", "docker compose"}, prefix: []string{"docker-compose"}},
	{words: []string{"docker image", "docker build", "docker images", "base image", "dockerfile"},
		matches: func(_, base string) bool { return base == "dockerfile" }},
	{words: []string{"state"}, beside: []string{"terraform", "s3", "bucket", "backend", "remote", "lock"},
		matches: func(_, base string) bool { return base == "backend.tf" }},
	{words: []string{"man page", "manpage", "man pages"}, matches: isManPage},
	{words: []string{"heart rate", "watch"}, matches: func(low, _ string) bool {
		return strings.Contains(low, "healthkit") || strings.Contains(low, "healthstore")
	}},
}

// matchesFile reports whether the alias means a file.
func (a alias) matchesFile(low, base string) bool {
	return a.matches != nil && a.matches(low, base) || slices.ContainsFunc(a.prefix,
		func(p string) bool { return strings.HasPrefix(base, p) })
}

// isManPage reports a man page: belay.1 in a folder of them.
func isManPage(low, base string) bool {
	return strings.Contains(low, "man") && len(path.Ext(base)) == 2 && base[len(base)-1] <= '9'
}

// toolFiles maps tools to the files they read, which people call by the tool's name.
var toolFiles = map[string]string{"fastlane": "fastfile", "brew": "brewfile", "homebrew": "brewfile", "cron": "crontab",
	"cron entries": "crontab", "crontab": "crontab", "makefile": "makefile", "vagrant": "vagrantfile",
	"procfile": "procfile", "justfile": "justfile", "bibliography": "references.bib", "manifest": "androidmanifest.xml"}

// aliases returns the files that the message calls by another word.
func (n nouns) aliases(files []string, p FileMessage) []string {
	var is []func(low, base string) bool
	for _, a := range commonAliases {
		if n.mentionsAny(a.words) && (len(a.beside) == 0 || n.mentionsAny(a.beside)) {
			is = append(is, a.matchesFile)
		}
	}
	for word, name := range toolFiles {
		if n.mentions(word) {
			is = append(is, func(_, base string) bool { return base == name })
		}
	}
	if n.mentionsAny(pipelineWords) && !slices.ContainsFunc(files,
		func(f string) bool { return strings.Contains(f, workflowFolder) && n.namesFile(f) }) {
		is = append(is, n.isPipeline)
	}
	is = append(is, n.translationMatchers()...)
	var out []string
	for _, f := range files {
		if len(is) == 0 {
			break
		}
		low := strings.ToLower(f)
		base := path.Base(low)
		if slices.ContainsFunc(is, func(is func(low, base string) bool) bool { return is(low, base) }) {
			out = append(out, f)
		}
	}
	if p.isLibraryChange() {
		out = append(out, topmostManifests(n.filesBelow(files))...)
	}
	return out
}

// mentions reports whether a word, or several in a row, occur outside of prohibitions.
func (n nouns) mentions(w string) bool { return strings.Contains(n.text, " "+w+" ") }

// mentionsAny reports whether any of the words is mentioned.
func (n nouns) mentionsAny(ws []string) bool { return slices.ContainsFunc(ws, n.mentions) }

// pipelineWords are words for the jobs that a server runs for each commit.
var pipelineWords = []string{"ci", "pipeline", "workflow", "workflows", "github action", "github actions", "gitlab pipeline", "matrix"}

// workflowFolder is the folder of GitHub's workflows. If the message names one of them, the others
// are not meant.
const workflowFolder = ".github/workflows/"

// isPipeline reports a CI configuration; the one for releases only if the message mentions
// releases.
func (n nouns) isPipeline(low, base string) bool {
	return strings.Contains(low, workflowFolder) && (!strings.Contains(base, "release") || n.mentions("release")) ||
		isOneOf(base, ".gitlab-ci.yml", "jenkinsfile") || strings.Contains(low, ".circleci/")
}

// filesBelow returns the files below a folder that the message names, or all files.
func (n nouns) filesBelow(files []string) []string {
	for _, dir := range n.literalPaths {
		if !strings.HasSuffix(dir, "/") || len(dir) < 3 {
			continue
		}
		var out []string
		for _, f := range files {
			if strings.HasPrefix(strings.ToLower(f), dir) {
				out = append(out, f)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return files
}
