package project

import "strings"

const rubocopRules = "AllCops:\n  NewCops: disable\n  SuggestExtensions: false\n  TargetRubyVersion: 3.1\nLint:\n  Enabled: true\n" +
	"Style:\n  Enabled: false\nLayout:\n  Enabled: false\nNaming:\n  Enabled: false\nMetrics:\n" +
	"  Enabled: false\nSecurity:\n  Enabled: false\n"

func rss() Project {
	const code, tests = "lib/rss/utils.rb", "test/test_utils.rb"
	const ours = "require_relative \"rss-testcase\"\nrequire \"rss/utils\"\n\nmodule RSS\n" +
		"  class TestUtils < TestCase\n    def test_blank\n      assert_equal(true, Utils.blank?(\" \"))\n" +
		"      assert_equal(false, Utils.blank?(\"a\"))\n    end\n  end\nend\n"
	return Project{
		Language: "Ruby", Name: "rss", Version: "0.2.9", From: "Debian (libruby3.1)",
		Needs: []string{"root/usr/lib/ruby/gems/3.1.0/gems/rss-0.2.9", "root/usr/bin/ruby3.1", "root/usr/bin/rubocop"},
		Unpack: func(s Store, dir string) error {
			return Edits(func(string) error { return copied(s.At("root/usr/lib/ruby/gems/3.1.0/gems/rss-0.2.9"), dir) },
				Write(".rubocop.yml", rubocopRules))(dir)
		},
		Env: func(s Store) []string {
			var libs []string
			for _, l := range []string{"usr/lib/ruby/vendor_ruby", "usr/lib/ruby/3.1.0",
				"usr/lib/x86_64-linux-gnu/ruby/3.1.0", "usr/lib/x86_64-linux-gnu/ruby/vendor_ruby/3.1.0"} {
				libs = append(libs, s.At("root", l))
			}
			return []string{"RUBYLIB=" + strings.Join(libs, ":"),
				"LD_LIBRARY_PATH=" + s.At("root/usr/lib/x86_64-linux-gnu"), "RUBY=" + s.At("root/usr/bin/ruby3.1"),
				"GEM_PATH=" + s.At("root/usr/share/rubygems-integration/all") + ":" + s.At("root/usr/lib/ruby/gems/3.1.0")}
		},
		Test: `sh -c "$RUBY test/run-test.rb"`,
		Linter: "  rubocop:\n    command: $STORE/root/usr/bin/ruby3.1 $STORE/root/usr/bin/rubocop --cache false " +
			"--format emacs lib/rss/content.rb lib/rss/slash.rb lib/rss/utils.rb\n",
		Files:   "lib/**,test/**",
		Comment: "#", Code: "lib/rss/content.rb", Constant: "%s = '%s'",
		Good: Edits(
			swap(code, "    # If +value+ is an instance",
				"    # Tells whether a string says nothing.\n    def blank?(s)\n      s.to_s.strip.empty?\n    end\n\n"+
					"    # If +value+ is an instance"),
			Write(tests, ours)),
		Cases: []Trial{
			{Name: "failing test", Make: swap("lib/rss/content.rb", "CONTENT_PREFIX = 'content'",
				"CONTENT_PREFIX = 'contents'"), Says: []string{"error tests…"}},
			{Name: "code that does not compile",
				Make:  swap("lib/rss/content.rb", "module ContentModel", "module ContentModel)"),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut("test/test_content.rb", "    def test_accessor", "    def test_to_s"),
				Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove("test/test_slash.rb"), Says: []string{"question integrity…"}},
			{Name: "renamed test", Make: swap("test/test_content.rb", "def test_accessor", "def test_reading_and_writing")},
			{Name: "skipped test", Make: swap("test/test_content.rb", "def test_accessor\n",
				"def test_accessor\n      omit(\"later\")\n"), Says: []string{"error integrity"}},
			{Name: "test without its assertion",
				Make: Edits(swap("test/test_content.rb", "          assert_equal(value, parent.__send__(meth))\n", ""),
					swap("test/test_content.rb", "          assert_equal(new_value[name], parent.__send__(meth))\n",
						"")), Says: []string{"error integrity"}},
			{Name: "assertion that always holds",
				Make: swap("test/test_content.rb", "assert_equal(value, parent.__send__(meth))", "assert(true)"),
				Says: []string{"error integrity"}},
			{Name: "fewer assertions", Make: swap("test/test_content.rb",
				"          assert_equal(value, parent.__send__(meth))\n", ""), Says: []string{"warning integrity"}},
			{Name: "code without a test file",
				Make: Write("lib/rss/even.rb",
					"module RSS\n  # What is even.\n  module Even\n    def self.is?(n)\n      n % 2 == 0\n    end\n"+
						"  end\nend\n"), Says: []string{"warning coverage"}},
			{Name: "lint finding on a changed line",
				Make: swap("lib/rss/content.rb", "    def self.append_features(klass)\n      super\n",
					"    def self.append_features(klass)\n      super\n      unused = 1\n"), Says: []string{"warning lint"}},
			{Name: "lint finding on an old line", Make: Add("lib/rss/slash.rb", "\n# Looked through once more.\n")},
		},
	}
}
