package project

import "path/filepath"

func semver() Project {
	const code, tests = "src/lib.rs", "tests/test_version.rs"
	const shared = "impl VersionReq {\n"
	return Project{
		Language: "Rust", Name: "semver", Version: "1.0.14", From: "Debian",
		Needs: []string{"root/usr/share/cargo/registry/semver-1.0.14", "root/usr/share/cargo/registry/serde-1.0.152"},
		Tools: []string{"cargo"},
		Unpack: func(s Store, dir string) error {
			return Edits(func(string) error { return copied(s.At("root/usr/share/cargo/registry/semver-1.0.14"), dir) },
				Write(".cargo/config.toml", "[source.crates-io]\nreplace-with = \"debian\"\n[source.debian]\n"+
					"directory = \""+s.At("root/usr/share/cargo/registry")+"\"\n"))(dir)
		},
		Env: func(s Store) []string {
			return append(rustHome(), "CARGO_NET_OFFLINE=true", "CARGO_TARGET_DIR="+filepath.Join(s.Dir, "target"))
		},
		Test:    "cargo test --offline --tests",
		Linter:  "  clippy:\n    command: cargo clippy --offline --quiet --message-format short\n",
		Files:   "src/**,tests/**",
		Comment: "//", Code: code, Constant: "#[allow(dead_code, non_upper_case_globals)]\nconst %s: &str = \"%s\";",
		Good: Edits(
			swap(code, shared, "impl Version {\n    /// Whether this is no pre-release.\n"+
				"    pub fn is_release(&self) -> bool {\n        self.pre.is_empty()\n    }\n}\n\n"+shared),
			Add(tests, "\n#[test]\nfn test_is_release() {\n    assert!(version(\"1.2.3\").is_release());\n"+
				"    assert!(!version(\"1.2.3-rc1\").is_release());\n}\n")),
		Cases: []Trial{
			{Name: "failing test", Make: swap("src/display.rs", "\"-{}\", self.pre", "\"+{}\", self.pre"), Says: []string{"error tests…"}},
			{Name: "code that does not compile", Make: swap(code, shared, "impl VersionReq {{\n"),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut(tests, "#[test]\nfn test_ne()", "#[test]\nfn test_display()"),
				Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove("tests/test_identifier.rs"), Says: []string{"question integrity…"}},
			{Name: "renamed test", Make: swap(tests, "fn test_ne()", "fn test_differs()")},
			{Name: "skipped test", Make: swap(tests, "fn test_ne()", "#[ignore]\nfn test_ne()"), Says: []string{"error integrity"}},
			{Name: "test without its assertion",
				Make: cut(tests, "    assert_ne!(version(\"0.0.0\"), version(\"0.0.1\"));",
					"}\n\n#[test]\nfn test_display"), Says: []string{"error integrity"}},
			{Name: "assertion that always holds",
				Make: swap(tests, "assert_ne!(version(\"0.0.0\"), version(\"0.0.1\"));", "assert!(true);"),
				Says: []string{"error integrity"}},
			{Name: "fewer assertions", Make: swap(tests, "    assert_ne!(version(\"0.0.0\"), version(\"0.0.1\"));\n",
				""), Says: []string{"warning integrity"}},
			{Name: "expected value changed with the code",
				Make: Edits(swap("src/error.rs", "invalid leading zero in", "a leading zero in"),
					swap(tests, "\"invalid leading zero in pre", "\"a leading zero in pre")), Says: []string{"warning integrity…"}},
			{Name: "lint finding on a changed line",
				Make: swap(code, shared, "impl Version {\n    /// The major part.\n    pub fn first(&self) -> u64 {\n"+
					"        return self.major;\n    }\n}\n\n"+shared), Says: []string{"warning lint"}},
			{Name: "lint finding on an old line", Make: Add("src/identifier.rs", "\n// Looked through once more.\n")},
		},
	}
}
