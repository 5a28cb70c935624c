package belay

import "strings"

// output are names of folders that package managers, compilers, test runners and their caches
// create. "build", "out" and "vendor" may contain people's files as well, so an ignore rule for one
// of them only counts if it was empty before, which the caller checks.
var output = map[string]bool{
	"node_modules": true, "bower_components": true, "jspm_packages": true, ".yarn": true, ".pnpm-store": true, ".npm": true,
	"target": true, "dist": true, "build": true, "out": true, "_build": true, "obj": true, "zig-out": true,
	".zig-cache": true, "zig-cache": true,
	"__pycache__": true, ".venv": true, "venv": true, ".tox": true, ".nox": true, ".eggs": true, ".pytest_cache": true,
	".mypy_cache": true,
	".ruff_cache": true, ".hypothesis": true, ".ipynb_checkpoints": true, "htmlcov": true, "coverage": true, ".nyc_output": true,
	".gradle": true, ".mvn-repo": true, ".m2": true, ".bundle": true, "vendor": true, ".cargo-target": true,
	"deriveddata": true, ".build": true, ".swiftpm": true,
	".dart_tool": true, ".pub-cache": true, ".next": true, ".nuxt": true, ".output": true, ".svelte-kit": true,
	".astro": true, ".turbo": true,
	".parcel-cache": true, ".vite": true, ".cache": true, ".angular": true, ".terraform": true, ".serverless": true,
	".vercel": true, ".netlify": true,
	"cmake-build-debug": true, "cmake-build-release": true, "cmakefiles": true, "bazel-bin": true, "bazel-out": true,
	"bazel-testlogs": true,
	".stack-work":    true, "dist-newstyle": true, "elm-stuff": true, ".elixir_ls": true, "_opam": true, ".lake": true,
}

// Output returns the topmost folder of a path that is build output by its name, "" for none. The
// path is of something ignored: a file, or a folder with or without a final slash. A file with such
// a name is not build output.
func Output(path string) string {
	folder := strings.HasSuffix(path, "/")
	path = strings.TrimSuffix(path, "/")
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' || i == len(path) && !folder {
			continue
		}
		name := strings.ToLower(path[strings.LastIndexByte(path[:i], '/')+1 : i])
		if output[name] || strings.HasSuffix(name, ".egg-info") {
			return path[:i]
		}
		if name == "_" && strings.HasSuffix(path[:i], ".husky/_") {
			return path[:i]
		}
	}
	return ""
}

// Names reports whether a glob contains the name of an output folder literally: dist/** and
// packages/*/dist do, ** and src/** do not.
func Names(glob, folder string) bool {
	name := folder[strings.LastIndexByte(folder, '/')+1:]
	for part := range strings.SplitSeq(strings.TrimSuffix(glob, "/"), "/") {
		if part == name {
			return true
		}
	}
	return false
}

// Spells reports whether a glob contains the name of any output folder literally.
func Spells(glob string) bool {
	for part := range strings.SplitSeq(strings.TrimSuffix(glob, "/"), "/") {
		if Output(part+"/") != "" {
			return true
		}
	}
	return false
}
