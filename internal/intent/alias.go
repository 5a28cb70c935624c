package intent

import (
	"path"
	"slices"
	"strings"
)

// alias is a word that people use for files that are not called so.
type alias struct {
	said   []string                    // any of them
	beside []string                    // and any of these, where there are some
	prefix []string                    // what the file's name begins with
	file   func(low, base string) bool // or which file it is, by its path and name in lower case
}

// usual are the aliases that hold in any project.
var usual = []alias{
	{said: []string{"readme"}, prefix: []string{"readme"}},
	{said: []string{"changelog"}, prefix: []string{"changelog"}},
	{said: []string{"login", "log in", "sign in", "signin", "logged in"}, prefix: []string{"auth", "session", "login"}},
	{said: []string{"signup", "sign up", "register", "registration"}, prefix: []string{"regist", "signup"}},
	{said: []string{"usernames", "username"}, file: func(_, base string) bool { return stemOf(base) == "user" }},
	{said: []string{"container", "containers", "docker", "docker compose"}, prefix: []string{"docker-compose"}},
	{said: []string{"docker image", "docker build", "docker images", "base image", "dockerfile"},
		file: func(_, base string) bool { return base == "dockerfile" }},
	{said: []string{"state"}, beside: []string{"terraform", "s3", "bucket", "backend", "remote", "lock"},
		file: func(_, base string) bool { return base == "backend.tf" }},
	{said: []string{"man page", "manpage", "man pages"}, file: manual},
	{said: []string{"heart rate", "watch"}, file: func(low, _ string) bool {
		return strings.Contains(low, "healthkit") || strings.Contains(low, "healthstore")
	}},
}

// is reports a file that the alias stands for.
func (a alias) is(low, base string) bool {
	return a.file != nil && a.file(low, base) || slices.ContainsFunc(a.prefix, func(p string) bool { return strings.HasPrefix(base, p) })
}

// manual reports a man page: belay.1 in a folder of them.
func manual(low, base string) bool {
	return strings.Contains(low, "man") && len(path.Ext(base)) == 2 && base[len(base)-1] <= '9'
}

// tools are files that are spoken of by the tool that reads them.
var tools = map[string]string{"fastlane": "fastfile", "brew": "brewfile", "homebrew": "brewfile", "cron": "crontab",
	"cron entries": "crontab", "crontab": "crontab", "makefile": "makefile", "vagrant": "vagrantfile",
	"procfile": "procfile", "justfile": "justfile", "bibliography": "references.bib", "manifest": "androidmanifest.xml"}

// aliases are files that people call by another word.
func (n nouns) aliases(files []string, p FileMessage) []string {
	var is []func(low, base string) bool
	for _, a := range usual {
		if n.said(a.said) && (len(a.beside) == 0 || n.said(a.beside)) {
			is = append(is, a.is)
		}
	}
	for word, name := range tools {
		if n.saying(word) {
			is = append(is, func(_, base string) bool { return base == name })
		}
	}
	if n.said(pipelines) && !slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, workflows) && n.names(f) }) {
		is = append(is, n.pipeline)
	}
	is = append(is, n.tongue()...)
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
	if p.library() {
		out = append(out, topmost(n.below(files))...)
	}
	return out
}

// saying reports a word, or several in a row, in the parts of the message that are no prohibition.
func (n nouns) saying(w string) bool { return strings.Contains(n.text, " "+w+" ") }

// said reports any of the words.
func (n nouns) said(ws []string) bool { return slices.ContainsFunc(ws, n.saying) }

// pipelines are words for what runs on a server for each commit.
var pipelines = []string{"ci", "pipeline", "workflow", "workflows", "github action", "github actions", "gitlab pipeline", "matrix"}

// workflows is where such files are kept. Where one is named, the others are not meant.
const workflows = ".github/workflows/"

// pipeline reports a file that says what a server runs; the one for releases only where they are
// spoken of.
func (n nouns) pipeline(low, base string) bool {
	return strings.Contains(low, workflows) && (!strings.Contains(base, "release") || n.saying("release")) ||
		oneOf(base, ".gitlab-ci.yml", "jenkinsfile") || strings.Contains(low, ".circleci/")
}

// below are the files of a folder that is named, or all of them.
func (n nouns) below(files []string) []string {
	for _, dir := range n.placed {
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
