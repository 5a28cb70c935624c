package belay

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Some ignored files are rewritten by tools all the time, others were written by a person and exist
// nowhere else. Here only names distinguish them. A name in neither list is unknown.

// rewrittenFolders are folders, besides build output, with files that programs create and delete.
var rewrittenFolders = wordsOf(`tmp temp .tmp .temp log logs cache caches .caches .idea .vs .settings .direnv .devenv .history
	.sass-cache .jekyll-cache _site .docusaurus .metals .bloop .bsp .ruby-lsp .ccls-cache .clangd .eslintcache .phpunit.cache
	.pytest-tmp test-results playwright-report allure-results allure-report blob-report lcov-report debug release x64 x86
	bin gen generated __generated__ .generated storybook-static .fleet .crush .goose .beads .aider.tags.cache.v3 .aider.tags.cache.v4`)

// rewrittenKinds are extensions of files that compilers, test runners, databases, packagers and
// editors write.
var rewrittenKinds = wordsOf(`log tmp temp swp swo swn pid lock lck cache pyc pyo pyd class o obj lo la a so dylib dll
	exe lib pdb ilk d dsym
	gcda gcno gcov profraw profdata prof pprof out test cover coverprofile coverage lcov tsbuildinfo map trx hprof dmp stackdump
	sqlite sqlite3 db db3 db-shm db-wal db-journal sqlite-shm sqlite-wal sqlite-journal sqlite3-shm sqlite3-wal sqlite3-journal rdb mdb ldb
	mo egg whl gz tgz zip jar war ear nupkg gem crate vsix tar xz bz2 zst iml suo user rlib rmeta beam hi elc wasm node aux toc fls lof lot
	fdb_latexmk bbl blg synctex pdf dvi trace pickle pkl npy npz parquet backup nib plo`)

// rewrittenNames are complete names of such files.
var rewrittenNames = wordsOf(`.ds_store thumbs.db desktop.ini .coverage .rspec_status .last-run .directory .dirstamp
	.byebug_history .irb_history .pry_history .python_history .node_repl_history .bash_history .zsh_history .lesshst
	.viminfo .rediscli_history
	tags .tags cscope.files gtags grtags gpath compile_commands.json cmakecache.txt cmake_install.cmake
	ctesttestfile.cmake install_manifest.txt
	config.status config.h config.guess config.sub stamp-h1 libtool aclocal.m4 configure depcomp missing install-sh ltmain.sh test-driver
	nosetests.xml lcov.info next-env.d.ts package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb go.work.sum
	_version.py core nohup.out
	.project .classpath .factorypath .buildpath .eslintcache .stylelintcache .prettiercache`)

// rewrittenStarts and rewrittenParts are prefixes and parts of such names.
var (
	rewrittenStarts = []string{".coverage.", "coverage.", "coverage-", "junit", "test-report", "test_report",
		"test-result", "test_result", "testresult", "core.", "vite.config.ts.timestamp",
		"npm-debug", "yarn-error", "lerna-debug", ".pnp.", ".aider.", ".nfs", ".fuse_hidden", "~$", ".#", "hs_err_pid", "replay_pid"}
	rewrittenParts = []string{".generated.", "_generated.", ".gen.", "_gen.", ".pb.", "_pb2", "_pb.", ".g.dart",
		".freezed.dart", ".min.", ".bundle.", ".log.", ".tmp.", "autogen"}
)

// settingsNames, settingsKinds, settingsStarts and settingsParts are the same for files with a
// person's settings and secrets.
var (
	settingsNames = wordsOf(`.env .envrc .dev.vars .netrc .pgpass .my.cnf .npmrc .yarnrc .pypirc .htpasswd
	.dockerconfigjson local.properties local.settings.json
		local_settings.py settings_local.py localsettings.php wp-config.php master.key kubeconfig google-services.json
	googleservice-info.plist id_rsa id_ed25519 id_ecdsa`)
	settingsKinds  = wordsOf(`env local pem key p12 pfx keystore jks tfvars tfstate kubeconfig vault`)
	settingsStarts = []string{"todo", "notes", "scratchpad", ".env.", "secrets.", "secret.", ".secret", "credentials",
		"service-account", "service_account", "serviceaccount"}
	settingsParts = []string{".local.", ".override.", ".secret.", ".secrets."}
	// settingsFolders are searched even if git ignores them as folders.
	settingsFolders = wordsOf(`secrets .secrets secret .secret credentials .credentials`)
)

// wordsOf splits a list at its first use, because every command would pay for it at its start.
func wordsOf(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			out[w] = true
		}
		return out
	})
}

// Rewritten reports whether an ignored file is, by its name or that of a parent folder, of a kind
// that programs write whenever they run: build output, logs, caches, coverage, databases of test
// runs. A change of it shows nothing about who ran the program.
func Rewritten(file string) bool {
	if Output(file) != "" {
		return true
	}
	return strings.HasSuffix(file, "~") ||
		named(file, rewrittenFolders, rewrittenNames, rewrittenKinds, rewrittenStarts, rewrittenParts)
}

// named reports whether a file is below one of the folders, has one of the names, or one of the
// kinds as its extension, or a name that begins with one of the starts or contains one of the
// parts.
func named(file string, folders, names, kinds func() map[string]bool, starts, parts []string) bool {
	above, name := path.Split(strings.ToLower(file))
	for part := range strings.SplitSeq(strings.TrimSuffix(above, "/"), "/") {
		if folders()[part] {
			return true
		}
	}
	// A dot at the start does not begin an extension: .env is a name.
	kind := strings.TrimPrefix(path.Ext(strings.TrimPrefix(name, ".")), ".")
	return names()[name] || kinds()[kind] ||
		slices.ContainsFunc(starts, func(s string) bool { return strings.HasPrefix(name, s) }) ||
		slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
}

// settings reports whether an ignored file contains, by its name or that of a parent folder, a
// person's settings, secrets or notes.
func settings(file string) bool {
	if Rewritten(file) || Own(file) {
		return false
	}
	return named(file, settingsFolders, settingsNames, settingsKinds, settingsStarts, settingsParts)
}

// Settings selects settings and secrets among ignored paths, by their names. It implements
// scan.Selector, and enters only ignored folders that are named after secrets.
type Settings struct{}

// Covers reports whether an ignored path is captured; a folder never is.
func (Settings) Covers(file string, folder bool) bool { return !folder && settings(file) }

// Reaches reports whether an ignored folder may contain something to capture.
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
