package main

import "strings"

const rubocopRules = "AllCops:\n  NewCops: disable\n  SuggestExtensions: false\n  TargetRubyVersion: 3.1\nLint:\n  Enabled: true\n" +
	"Style:\n  Enabled: false\nLayout:\n  Enabled: false\nNaming:\n  Enabled: false\nMetrics:\n  Enabled: false\nSecurity:\n  Enabled: false\n"

func rss() project {
	const code, tests = "lib/rss/utils.rb", "test/test_utils.rb"
	const ours = "require_relative \"rss-testcase\"\nrequire \"rss/utils\"\n\nmodule RSS\n  class TestUtils < TestCase\n    def test_blank\n      assert_equal(true, Utils.blank?(\" \"))\n      assert_equal(false, Utils.blank?(\"a\"))\n    end\n  end\nend\n"
	return project{
		language: "Ruby", name: "rss", version: "0.2.9", from: "Debian (libruby3.1)",
		needs: []string{"root/usr/lib/ruby/gems/3.1.0/gems/rss-0.2.9", "root/usr/bin/ruby3.1", "root/usr/bin/rubocop"},
		unpack: func(s store, dir string) error {
			return edits(func(string) error { return copied(s.at("root/usr/lib/ruby/gems/3.1.0/gems/rss-0.2.9"), dir) }, write(".rubocop.yml", rubocopRules))(dir)
		},
		env: func(s store) []string {
			var libs []string
			for _, l := range []string{"usr/lib/ruby/vendor_ruby", "usr/lib/ruby/3.1.0", "usr/lib/x86_64-linux-gnu/ruby/3.1.0", "usr/lib/x86_64-linux-gnu/ruby/vendor_ruby/3.1.0"} {
				libs = append(libs, s.at("root", l))
			}
			return []string{"RUBYLIB=" + strings.Join(libs, ":"), "LD_LIBRARY_PATH=" + s.at("root/usr/lib/x86_64-linux-gnu"), "RUBY=" + s.at("root/usr/bin/ruby3.1"),
				"GEM_PATH=" + s.at("root/usr/share/rubygems-integration/all") + ":" + s.at("root/usr/lib/ruby/gems/3.1.0")}
		},
		test:    `sh -c "$RUBY test/run-test.rb"`,
		linter:  "  rubocop:\n    command: $STORE/root/usr/bin/ruby3.1 $STORE/root/usr/bin/rubocop --cache false --format emacs lib/rss/content.rb lib/rss/slash.rb lib/rss/utils.rb\n",
		files:   "lib/**,test/**",
		comment: "#", code: "lib/rss/content.rb", constant: "%s = '%s'",
		good: edits(
			swap(code, "    # If +value+ is an instance", "    # Tells whether a string says nothing.\n    def blank?(s)\n      s.to_s.strip.empty?\n    end\n\n    # If +value+ is an instance"),
			write(tests, ours)),
		cases: []trial{
			{name: "failing test", make: swap("lib/rss/content.rb", "CONTENT_PREFIX = 'content'", "CONTENT_PREFIX = 'contents'"), says: []string{"error tests…"}},
			{name: "code that does not compile", make: swap("lib/rss/content.rb", "module ContentModel", "module ContentModel)"), flags: []string{"--skip", "lint"}, says: []string{"error tests…"}},
			{name: "deleted test", make: cut("test/test_content.rb", "    def test_accessor", "    def test_to_s"), says: []string{"error integrity"}},
			{name: "deleted test file", make: remove("test/test_slash.rb"), says: []string{"error integrity…"}},
			{name: "renamed test", make: swap("test/test_content.rb", "def test_accessor", "def test_reading_and_writing")},
			{name: "skipped test", make: swap("test/test_content.rb", "def test_accessor\n", "def test_accessor\n      omit(\"later\")\n"), says: []string{"error integrity"}},
			{name: "test without its assertion", make: edits(swap("test/test_content.rb", "          assert_equal(value, parent.__send__(meth))\n", ""), swap("test/test_content.rb", "          assert_equal(new_value[name], parent.__send__(meth))\n", "")), says: []string{"error integrity"}},
			{name: "assertion that always holds", make: swap("test/test_content.rb", "assert_equal(value, parent.__send__(meth))", "assert(true)"), says: []string{"error integrity"}},
			{name: "fewer assertions", make: swap("test/test_content.rb", "          assert_equal(value, parent.__send__(meth))\n", ""), says: []string{"warning integrity"}},
			{name: "code without a test file", make: write("lib/rss/even.rb", "module RSS\n  # What is even.\n  module Even\n    def self.is?(n)\n      n % 2 == 0\n    end\n  end\nend\n"), says: []string{"warning coverage"}},
			{name: "lint finding on a changed line", make: swap("lib/rss/content.rb", "    def self.append_features(klass)\n      super\n", "    def self.append_features(klass)\n      super\n      unused = 1\n"), says: []string{"warning lint"}},
			{name: "lint finding on an old line", make: add("lib/rss/slash.rb", "\n# Looked through once more.\n")},
		},
	}
}
