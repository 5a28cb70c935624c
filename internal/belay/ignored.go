package belay

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Among ignored files there are those that tools write again and again, and those that
// somebody wrote and that exist nowhere else. Only names tell them apart here. A name that
// is in neither list says nothing.

// rewrittenFolders are folders, beside build output, whose files come and go with programs.
var rewrittenFolders = wordsOf(`tmp temp .tmp .temp log logs cache caches .caches .idea .vs .settings .direnv .devenv .history
	.sass-cache .jekyll-cache _site .docusaurus .metals .bloop .bsp .ruby-lsp .ccls-cache .clangd .eslintcache .phpunit.cache
	.pytest-tmp test-results playwright-report allure-results allure-report blob-report lcov-report debug release x64 x86
	bin gen generated __generated__ .generated storybook-static .fleet .crush .goose .beads .aider.tags.cache.v3 .aider.tags.cache.v4`)

// rewrittenKinds are ends of names, from a dot on, that compilers, test runners, databases,
// packagers and editors give to files of theirs.
var rewrittenKinds = wordsOf(`log tmp temp swp swo swn pid lock lck cache pyc pyo pyd class o obj lo la a so dylib dll
	exe lib pdb ilk d dsym
	gcda gcno gcov profraw profdata prof pprof out test cover coverprofile coverage lcov tsbuildinfo map trx hprof dmp stackdump
	sqlite sqlite3 db db3 db-shm db-wal db-journal sqlite-shm sqlite-wal sqlite-journal sqlite3-shm sqlite3-wal sqlite3-journal rdb mdb ldb
	mo egg whl gz tgz zip jar war ear nupkg gem crate vsix tar xz bz2 zst iml suo user rlib rmeta beam hi elc wasm node aux toc fls lof lot
	fdb_latexmk bbl blg synctex pdf dvi trace pickle pkl npy npz parquet backup nib plo`)

// rewrittenNames are whole names.
var rewrittenNames = wordsOf(`.ds_store thumbs.db desktop.ini .coverage .rspec_status .last-run .directory .dirstamp
	.byebug_history .irb_history .pry_history .python_history .node_repl_history .bash_history .zsh_history .lesshst
	.viminfo .rediscli_history
	tags .tags cscope.files gtags grtags gpath compile_commands.json cmakecache.txt cmake_install.cmake
	ctesttestfile.cmake install_manifest.txt
	config.status config.h config.guess config.sub stamp-h1 libtool aclocal.m4 configure depcomp missing install-sh ltmain.sh test-driver
	nosetests.xml lcov.info next-env.d.ts package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb go.work.sum
	_version.py core nohup.out
	.project .classpath .factorypath .buildpath .eslintcache .stylelintcache .prettiercache`)

// rewrittenStarts and rewrittenParts are what else such names begin with, and have in them.
var (
	rewrittenStarts = []string{".coverage.", "coverage.", "coverage-", "junit", "test-report", "test_report",
		"test-result", "test_result", "testresult", "core.", "vite.config.ts.timestamp",
		"npm-debug", "yarn-error", "lerna-debug", ".pnp.", ".aider.", ".nfs", ".fuse_hidden", "~$", ".#", "hs_err_pid", "replay_pid"}
	rewrittenParts = []string{".generated.", "_generated.", ".gen.", "_gen.", ".pb.", "_pb2", "_pb.", ".g.dart",
		".freezed.dart", ".min.", ".bundle.", ".log.", ".tmp.", "autogen"}
)

// settingsNames, settingsKinds, settingsStarts and settingsParts are the same for files in
// which people keep settings and secrets of this machine.
var (
	settingsNames = wordsOf(`.env .envrc .dev.vars .netrc .pgpass .my.cnf .npmrc .yarnrc .pypirc .htpasswd
	.dockerconfigjson local.properties local.settings.json
		local_settings.py settings_local.py localsettings.php wp-config.php master.key kubeconfig google-services.json
	googleservice-info.plist id_rsa id_ed25519 id_ecdsa`)
	settingsKinds  = wordsOf(`env local pem key p12 pfx keystore jks tfvars tfstate kubeconfig vault`)
	settingsStarts = []string{"todo", "notes", "scratchpad", ".env.", "secrets.", "secret.", ".secret", "credentials",
		"service-account", "service_account", "serviceaccount"}
	settingsParts = []string{".local.", ".override.", ".secret.", ".secrets."}
	// settingsFolders are entered although git ignores them as a whole.
	settingsFolders = wordsOf(`secrets .secrets secret .secret credentials .credentials`)
)

// wordsOf splits a list when it is first asked for: every command would pay for it at its start.
func wordsOf(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			out[w] = true
		}
		return out
	})
}

// Rewritten reports whether an ignored file is, by its name or a folder's above it, of a kind
// that programs write again whenever they run: build output, logs, caches, coverage, databases
// of test runs. That it changed says nothing about whoever ran the program.
func Rewritten(file string) bool {
	if Output(file) != "" {
		return true
	}
	return strings.HasSuffix(file, "~") ||
		named(file, rewrittenFolders, rewrittenNames, rewrittenKinds, rewrittenStarts, rewrittenParts)
}

// named reports whether a file is below one of the folders, has one of the names, or a name that ends after a dot
// in one of the kinds, begins with one of the starts or contains one of the parts.
func named(file string, folders, names, kinds func() map[string]bool, starts, parts []string) bool {
	above, name := path.Split(strings.ToLower(file))
	for part := range strings.SplitSeq(strings.TrimSuffix(above, "/"), "/") {
		if folders()[part] {
			return true
		}
	}
	// A dot at the start begins no kind: .env is a name.
	kind := strings.TrimPrefix(path.Ext(strings.TrimPrefix(name, ".")), ".")
	return names()[name] || kinds()[kind] ||
		slices.ContainsFunc(starts, func(s string) bool { return strings.HasPrefix(name, s) }) ||
		slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
}

// settings reports whether an ignored file is, by its name or a folder's above it, one of
// somebody's settings, secrets or notes.
func settings(file string) bool {
	if Rewritten(file) || Own(file) {
		return false
	}
	return named(file, settingsFolders, settingsNames, settingsKinds, settingsStarts, settingsParts)
}

// Settings selects, among ignored paths, settings and secrets by their names. It implements
// scan.Selector, and enters no ignored folder but those that are named after secrets.
type Settings struct{}

// Covers reports whether an ignored path is captured; never a folder as a whole.
func (Settings) Covers(file string, folder bool) bool { return !folder && settings(file) }

// Reaches reports whether something below an ignored folder may be captured.
func (Settings) Reaches(folder string) bool {
	if Rewritten(folder + "/x") {
		return false
	}
	for part := range strings.SplitSeq(strings.ToLower(folder), "/") {
		if settingsFolders()[part] {
			return true
		}
	}
	return false
}
