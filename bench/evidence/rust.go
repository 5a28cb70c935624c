package main

import "path/filepath"

func semver() project {
	const code, tests = "src/lib.rs", "tests/test_version.rs"
	const shared = "impl VersionReq {\n"
	return project{
		language: "Rust", name: "semver", version: "1.0.14", from: "Debian",
		needs: []string{"root/usr/share/cargo/registry/semver-1.0.14", "root/usr/share/cargo/registry/serde-1.0.152"},
		tools: []string{"cargo"},
		unpack: func(s store, dir string) error {
			return edits(func(string) error { return copied(s.at("root/usr/share/cargo/registry/semver-1.0.14"), dir) },
				write(".cargo/config.toml", "[source.crates-io]\nreplace-with = \"debian\"\n[source.debian]\ndirectory = \""+s.at("root/usr/share/cargo/registry")+"\"\n"))(dir)
		},
		env: func(s store) []string {
			return append(rustHome(), "CARGO_NET_OFFLINE=true", "CARGO_TARGET_DIR="+filepath.Join(s.dir, "target"))
		},
		test:    "cargo test --offline --tests",
		linter:  "  clippy:\n    command: cargo clippy --offline --quiet --message-format short\n",
		files:   "src/**,tests/**",
		comment: "//", code: code, constant: "#[allow(dead_code, non_upper_case_globals)]\nconst %s: &str = \"%s\";",
		good: edits(
			swap(code, shared, "impl Version {\n    /// Whether this is no pre-release.\n    pub fn is_release(&self) -> bool {\n        self.pre.is_empty()\n    }\n}\n\n"+shared),
			add(tests, "\n#[test]\nfn test_is_release() {\n    assert!(version(\"1.2.3\").is_release());\n    assert!(!version(\"1.2.3-rc1\").is_release());\n}\n")),
		cases: []trial{
			{name: "failing test", make: swap("src/display.rs", "\"-{}\", self.pre", "\"+{}\", self.pre"), says: []string{"error tests…"}},
			{name: "code that does not compile", make: swap(code, shared, "impl VersionReq {{\n"), flags: []string{"--skip", "lint"}, says: []string{"error tests…"}},
			{name: "deleted test", make: cut(tests, "#[test]\nfn test_ne()", "#[test]\nfn test_display()"), says: []string{"error integrity"}},
			{name: "deleted test file", make: remove("tests/test_identifier.rs"), says: []string{"error integrity…"}},
			{name: "renamed test", make: swap(tests, "fn test_ne()", "fn test_differs()")},
			{name: "skipped test", make: swap(tests, "fn test_ne()", "#[ignore]\nfn test_ne()"), says: []string{"error integrity"}},
			{name: "test without its assertion", make: cut(tests, "    assert_ne!(version(\"0.0.0\"), version(\"0.0.1\"));", "}\n\n#[test]\nfn test_display"), says: []string{"error integrity"}},
			{name: "assertion that always holds", make: swap(tests, "assert_ne!(version(\"0.0.0\"), version(\"0.0.1\"));", "assert!(true);"), says: []string{"error integrity"}},
			{name: "fewer assertions", make: swap(tests, "    assert_ne!(version(\"0.0.0\"), version(\"0.0.1\"));\n", ""), says: []string{"warning integrity"}},
			{name: "expected value changed with the code", make: edits(swap("src/error.rs", "invalid leading zero in", "a leading zero in"), swap(tests, "\"invalid leading zero in pre", "\"a leading zero in pre")), says: []string{"warning integrity…"}},
			{name: "lint finding on a changed line", make: swap(code, shared, "impl Version {\n    /// The major part.\n    pub fn first(&self) -> u64 {\n        return self.major;\n    }\n}\n\n"+shared), says: []string{"warning lint"}},
			{name: "lint finding on an old line", make: add("src/identifier.rs", "\n// Looked through once more.\n")},
		},
	}
}
