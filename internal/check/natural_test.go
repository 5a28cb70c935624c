package check_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// shop is a small project in several languages, in which the requests below were carried out.
var shop = map[string]string{
	"src/menu.ts": `export const DRINKS = [
  { name: "Volt", tags: ["sour", "cold"] },
  { name: "Chrome", tags: ["sweet"] },
  { name: "Citrus", tags: ["sour"] },
  { name: "Mango", tags: ["sweet", "cold"] },
  { name: "Black Tea", tags: ["hot"] },
  { name: "Green Tea", tags: ["hot"] },
];

export const SIZES = ["small", "medium", "large"];

export const OPENING = { monday: "9-17", tuesday: "9-17", friday: "9-20" };
`,
	"src/Nav.tsx":          "export function Nav() {\n  return (\n    <nav>\n      <a href=\"/\">Home</a>\n      <a href=\"/shop\">Shop</a>\n      <a href=\"/about\">About</a>\n    </nav>\n  );\n}\n",
	"src/api.ts":           "app.get(\"/users\", users);\napp.get(\"/orders\", orders);\napp.post(\"/login\", login);\n\nconst TIMEOUT = 30;\nconst RETRIES = 2;\n",
	"src/errors.rs":        "pub enum Error {\n    NotFound,\n    Denied,\n    Timeout,\n}\n\nfn code(e: &Error) -> u16 {\n    match e {\n        Error::NotFound => 404,\n        Error::Denied => 403,\n        Error::Timeout => 504,\n    }\n}\n",
	"shape/shape.go":       "package shape\n\ntype Shape struct {\n\tName  string\n\tSides int\n}\n\nfunc (s Shape) Area() float64 { return 0 }\n\nfunc (s Shape) Perimeter() float64 { return 0 }\n\nfunc New(name string) Shape { return Shape{Name: name} }\n",
	"shape/shape_test.go":  "package shape\n\nimport \"testing\"\n\nfunc TestArea(t *testing.T) {\n\tif New(\"x\").Area() != 0 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestNew(t *testing.T) {\n\tif New(\"x\").Name != \"x\" {\n\t\tt.Fatal()\n\t}\n}\n",
	"app/models.py":        "ROLES = [\"admin\", \"editor\", \"viewer\"]\n\n\nclass User:\n    def __init__(self, name, mail):\n        self.name = name\n        self.mail = mail\n\n    def greet(self):\n        return \"Hello \" + self.name\n",
	"tests/test_models.py": "from app.models import User\n\n\ndef test_greet():\n    assert User(\"a\", \"b\").greet() == \"Hello a\"\n\n\ndef test_name():\n    assert User(\"a\", \"b\").name == \"a\"\n",
	"tests/test_roles.py":  "from app.models import ROLES\n\n\ndef test_roles():\n    assert \"admin\" in ROLES\n",
	"README.md":            "# Shop\n\n## Install\n\n- clone it\n- run make\n\n## Use\n\n- open the page\n- order a drink\n\n## License\n\nMIT\n",
	"styles/main.css":      ":root {\n  --red: #f00;\n  --blue: #00f;\n}\n\n.card { padding: 4px; }\n.button { margin: 2px; }\n",
	"config/limits.json":   "{\n  \"features\": [\"cart\", \"search\"],\n  \"limits\": { \"items\": 20, \"users\": 100 }\n}\n",
	"ci/build.yml":         "jobs:\n  test:\n    strategy:\n      matrix:\n        python: [\"3.10\", \"3.11\", \"3.12\"]\n        os: [linux, macos]\n    steps:\n      - run: make test\n      - run: make lint\n",
	"db/schema.sql":        "CREATE TABLE users (\n  id INTEGER,\n  name TEXT\n);\n\nCREATE TABLE orders (\n  id INTEGER,\n  user_id INTEGER\n);\n",
	"lib/menu.rb":          "class Menu\n  ITEMS = %w[soup salad bread]\n\n  def total\n    ITEMS.size\n  end\nend\n",
}

// did applies edits to the shop: file, old text, new text. Without an old text it appends; a
// missing file is created, and a new text "gone" deletes the file.
func did(edits ...string) map[string]string {
	after := maps.Clone(shop)
	for i := 0; i < len(edits); i += 3 {
		p, old, now := edits[i], edits[i+1], edits[i+2]
		switch {
		case now == "gone" && old == "":
			delete(after, p)
		case old == "":
			after[p] += now
		case !strings.Contains(after[p], old):
			panic("no " + old + " in " + p)
		default:
			after[p] = strings.Replace(after[p], old, now, 1)
		}
	}
	return after
}

const (
	blackTea = "  { name: \"Black Tea\", tags: [\"hot\"] },\n"
	greenTea = "  { name: \"Green Tea\", tags: [\"hot\"] },\n"
)

func drink(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString("  { name: \"" + n + "\", tags: [\"new\"] },\n")
	}
	return b.String()
}

func goTests(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString("\nfunc " + n + "(t *testing.T) {\n\tif New(\"y\").Sides != 0 {\n\t\tt.Fatal()\n\t}\n}\n")
	}
	return b.String()
}

func pyTest(name string) string {
	return "\n\ndef " + name + "():\n    assert User(\"c\", \"d\").mail == \"d\"\n"
}

// natural are requests as people write them, each with work that fulfils it.
var natural = map[string]map[string]string{
	"Replace the two teas with three sodas":                                         did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime", "Root")),
	"Add 3 drinks instead of the two teas":                                          did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime", "Root")),
	"Remove 2 drinks and add 3 new ones":                                            did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime", "Root")),
	"add 2 drinks and remove Chrome":                                                did("src/menu.ts", "  { name: \"Chrome\", tags: [\"sweet\"] },\n", "", "src/menu.ts", greenTea, greenTea+drink("Cola", "Lime")),
	"Swap 2 drinks for 2 new ones":                                                  did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime")),
	"add 2 more drinks":                                                             did("src/menu.ts", greenTea, greenTea+drink("Cola", "Lime")),
	"Add 2 drinks, drop the green tea":                                              did("src/menu.ts", greenTea, drink("Cola", "Lime")),
	"Rename 2 drinks: Volt becomes Bolt and Chrome becomes Steel":                   did("src/menu.ts", "\"Volt\"", "\"Bolt\"", "src/menu.ts", "\"Chrome\"", "\"Steel\""),
	"add 2 tags to Volt":                                                            did("src/menu.ts", "[\"sour\", \"cold\"]", "[\"sour\", \"cold\", \"loud\", \"blue\"]"),
	"Add one tag to every drink":                                                    did("src/menu.ts", "[\"sour\", \"cold\"]", "[\"sour\", \"cold\", \"a\"]", "src/menu.ts", "[\"sweet\"]", "[\"sweet\", \"b\"]"),
	"add the 2 missing days to the opening hours":                                   did("src/menu.ts", "tuesday: \"9-17\",", "tuesday: \"9-17\", wednesday: \"9-17\", thursday: \"9-17\","),
	"add an extra large size":                                                       did("src/menu.ts", "\"large\"]", "\"large\", \"extra large\"]"),
	"Add 4 tests, two for User and two for Shape":                                   did("tests/test_models.py", "", pyTest("test_mail")+pyTest("test_user"), "shape/shape_test.go", "", goTests("TestSides", "TestName")),
	"Add three tests for the models":                                                did("tests/test_models.py", "", pyTest("test_mail")+pyTest("test_user"), "tests/test_roles.py", "", "\n\ndef test_viewer():\n    assert \"viewer\" in ROLES\n"),
	"add 2 tests for Perimeter":                                                     did("shape/shape_test.go", "", goTests("TestPerimeter", "TestPerimeterOfNone")),
	"Write 2 more unit tests in a new file":                                         did("tests/test_user.py", "", "from app.models import User\n"+pyTest("test_one")+pyTest("test_two")),
	"merge the 2 python test files into one":                                        did("tests/test_roles.py", "", "gone", "tests/test_models.py", "", "\n\ndef test_roles():\n    assert \"admin\" in ROLES\n"),
	"Add Python 3.13 to the build":                                                  did("ci/build.yml", "\"3.12\"]", "\"3.12\", \"3.13\"]"),
	"drop python 3.10 and add 3.13 and 3.14":                                        did("ci/build.yml", "\"3.10\", \"3.11\", \"3.12\"]", "\"3.11\", \"3.12\", \"3.13\", \"3.14\"]"),
	"Test on 3 operating systems: add windows":                                      did("ci/build.yml", "[linux, macos]", "[linux, macos, windows]"),
	"add 1 step to the build that builds the docs":                                  did("ci/build.yml", "      - run: make lint\n", "      - run: make lint\n      - run: make docs\n"),
	"Support HTTP 2":                                                                did("src/api.ts", "const TIMEOUT", "const HTTP = 2;\nconst TIMEOUT"),
	"add a 404 page":                                                                did("src/NotFound.tsx", "", "export function NotFound() {\n  return <p>There is nothing here</p>;\n}\n"),
	"Add 2 factor authentication to login":                                          did("src/api.ts", "app.post(\"/login\", login);", "app.post(\"/login\", login, secondFactor);"),
	"add 5 seconds to the timeout":                                                  did("src/api.ts", "TIMEOUT = 30", "TIMEOUT = 35"),
	"Increase retries by 3":                                                         did("src/api.ts", "RETRIES = 2", "RETRIES = 5"),
	"Add two endpoints, /health and /version":                                       did("src/api.ts", "app.post", "app.get(\"/health\", health);\napp.get(\"/version\", version);\napp.post"),
	"Add 2 endpoints: one for carts in api.ts, one for health in a file of its own": did("src/api.ts", "app.post", "app.get(\"/carts\", carts);\napp.post", "src/health.ts", "", "app.get(\"/health\", health);\n"),
	"replace the 2 get endpoints by one for both":                                   did("src/api.ts", "app.get(\"/users\", users);\napp.get(\"/orders\", orders);", "app.get(\"/all\", all);"),
	"Add 2 links to the navigation: Blog and Jobs":                                  did("src/Nav.tsx", "      <a href=\"/about\">About</a>\n", "      <a href=\"/about\">About</a>\n      <a href=\"/blog\">Blog</a>\n      <a href=\"/jobs\">Jobs</a>\n"),
	"swap the About link for 2 new ones":                                            did("src/Nav.tsx", "      <a href=\"/about\">About</a>\n", "      <a href=\"/blog\">Blog</a>\n      <a href=\"/jobs\">Jobs</a>\n"),
	"Add 2 error variants, Full and Gone":                                           did("src/errors.rs", "    Timeout,\n}", "    Timeout,\n    Full,\n    Gone,\n}", "src/errors.rs", "=> 504,\n", "=> 504,\n        Error::Full => 507,\n        Error::Gone => 410,\n"),
	"split the Timeout error into 2: Connect and Read":                              did("src/errors.rs", "    Timeout,\n}", "    Connect,\n    Read,\n}", "src/errors.rs", "        Error::Timeout => 504,\n", "        Error::Connect | Error::Read => 504,\n"),
	"return 410 instead of 404 for NotFound":                                        did("src/errors.rs", "404", "410"),
	"Add 2 methods to Shape: Scale and Rotate":                                      did("shape/shape.go", "\nfunc New", "\nfunc (s Shape) Scale(by float64) Shape { return s }\n\nfunc (s Shape) Rotate(by float64) Shape { return s }\n\nfunc New"),
	"add a Color field to Shape":                                                    did("shape/shape.go", "\tSides int\n", "\tSides int\n\tColor string\n"),
	"Add two fields to Shape, Color and Width, and remove Sides":                    did("shape/shape.go", "\tSides int\n", "\tColor string\n\tWidth float64\n"),
	"add 2 helpers for shapes in their own file":                                    did("shape/help.go", "", "package shape\n\nfunc double(s Shape) Shape { return s }\n\nfunc half(s Shape) Shape { return s }\n"),
	"Move the two methods of Shape to methods.go":                                   did("shape/shape.go", "func (s Shape) Area() float64 { return 0 }\n\nfunc (s Shape) Perimeter() float64 { return 0 }\n\n", "", "shape/methods.go", "", "package shape\n\nfunc (s Shape) Area() float64 { return 0 }\n\nfunc (s Shape) Perimeter() float64 { return 0 }\n"),
	"add 2 roles, owner and guest":                                                  did("app/models.py", "\"viewer\"]", "\"viewer\", \"owner\", \"guest\"]"),
	"replace editor by two roles, author and reviewer":                              did("app/models.py", "\"editor\", ", "\"author\", \"reviewer\", "),
	"add 2 roles instead of editor":                                                 did("app/models.py", "\"editor\", ", "\"author\", \"reviewer\", "),
	"Add 2 attributes to User: age and city":                                        did("app/models.py", "mail):", "mail, age, city):", "app/models.py", "        self.mail = mail\n", "        self.mail = mail\n        self.age = age\n        self.city = city\n"),
	"add a type hint to the 2 arguments of User":                                    did("app/models.py", "name, mail)", "name: str, mail: str)"),
	"Add 3 bullets to the README on how to use it":                                  did("README.md", "- order a drink\n", "- order a drink\n- pay\n- drink it\n- come back\n"),
	"add 2 sections to the README, Contributing and Thanks":                         did("README.md", "## License", "## Contributing\n\nDo.\n\n## Thanks\n\nTo all.\n\n## License"),
	"Document the 3 sizes in the README":                                            did("README.md", "## License", "Sizes: small, medium, large.\n\n## License"),
	"shorten the install section to 1 step":                                         did("README.md", "- clone it\n- run make\n", "- run make install\n"),
	"add 2 colors, green and gold":                                                  did("styles/main.css", "  --blue: #00f;\n", "  --blue: #00f;\n  --green: #0f0;\n  --gold: #fd0;\n"),
	"add 2px more padding to the card":                                              did("styles/main.css", "padding: 4px", "padding: 6px"),
	"Replace 2 colors with the 3 of the new brand":                                  did("styles/main.css", "  --red: #f00;\n  --blue: #00f;\n", "  --brand-a: #111;\n  --brand-b: #222;\n  --brand-c: #333;\n"),
	"enable 2 more features: wishlist and reviews":                                  did("config/limits.json", "\"search\"]", "\"search\", \"wishlist\", \"reviews\"]"),
	"raise the limit of items by 10":                                                did("config/limits.json", "\"items\": 20", "\"items\": 30"),
	"add 2 columns to the users table":                                              did("db/schema.sql", "  name TEXT\n", "  name TEXT,\n  mail TEXT,\n  born DATE\n"),
	"add 2 columns, one to each table":                                              did("db/schema.sql", "  name TEXT\n", "  name TEXT,\n  mail TEXT\n", "db/schema.sql", "  user_id INTEGER\n", "  user_id INTEGER,\n  total INTEGER\n"),
	"Add a table for payments with 2 columns":                                       did("db/schema.sql", "", "\nCREATE TABLE payments (\n  id INTEGER,\n  total INTEGER\n);\n"),
	"Add 2 dishes to the menu: fish and pie":                                        did("lib/menu.rb", "bread]", "bread fish pie]"),
	"add 2 methods to Menu for prices":                                              did("lib/menu.rb", "  def total", "  def price\n    1\n  end\n\n  def prices\n    []\n  end\n\n  def total"),
	"remove 1 dish and add 2 others":                                                did("lib/menu.rb", "soup salad bread", "salad bread fish pie"),
	"Remove 2 drinks, the teas":                                                     did("src/menu.ts", blackTea+greenTea, ""),
	"remove the 2 oldest tests in shape_test.go and add three better ones":          did("shape/shape_test.go", "func TestArea(t *testing.T) {\n\tif New(\"x\").Area() != 0 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestNew(t *testing.T) {\n\tif New(\"x\").Name != \"x\" {\n\t\tt.Fatal()\n\t}\n}\n", strings.TrimPrefix(goTests("TestOne", "TestTwo", "TestThree"), "\n")),
	"Keep the 6 drinks and add 2 sizes":                                             did("src/menu.ts", "\"large\"]", "\"large\", \"huge\", \"tiny\"]"),
}

// TestNatural: work that fulfils a request is never rejected.
func TestNatural(t *testing.T) {
	t.Parallel()
	if len(natural) < 60 {
		t.Errorf("%d requests", len(natural))
	}
	for words, after := range natural {
		for _, f := range (treeChange{shop, after}).judged(words).Findings {
			if f.Severity == belay.SeverityError {
				t.Errorf("%q is rejected: %s (%s)", words, f.Title, f.Detail)
			}
		}
	}
}

// shortCases are requests with work that converts existing items, or omits some.
var shortCases = []struct {
	words string
	after map[string]string
}{
	{"add 2 more drinks", did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime"))},
	{"add 2 more drinks", did("src/menu.ts", greenTea, greenTea+drink("Cola"))},
	{"add 3 drinks", did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime", "Root"))},
	{"Add 3 drinks", did("src/menu.ts", greenTea, greenTea+drink("Cola", "Lime"))},
	{"Add two drinks for the summer", did("src/menu.ts", greenTea, drink("Cola", "Lime"))},
	{"add 2 roles, owner and guest", did("app/models.py", "\"editor\", \"viewer\"]", "\"owner\", \"guest\"]")},
	{"add 2 roles", did("app/models.py", "\"viewer\"]", "\"viewer\", \"owner\"]")},
	{"Add 2 dishes to the menu: fish and pie", did("lib/menu.rb", "salad bread]", "fish pie]")},
	{"add 2 features", did("config/limits.json", "\"cart\", \"search\"]", "\"wishlist\", \"reviews\"]")},
	{"Add 2 links to the navigation: Blog and Jobs", did("src/Nav.tsx", "<a href=\"/shop\">Shop</a>\n      <a href=\"/about\">About</a>", "<a href=\"/blog\">Blog</a>\n      <a href=\"/jobs\">Jobs</a>")},
	{"Add 2 error variants, Full and Gone", did("src/errors.rs", "    Denied,\n    Timeout,\n}", "    Full,\n    Gone,\n}")},
	{"Add 2 drinks to the menu without changing the others", did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime"))},
	{"Add 2 drinks and 1 size", did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime"), "src/menu.ts", "\"large\"]", "\"large\", \"huge\"]")},
	{"Remove 1 drink", did("src/menu.ts", blackTea+greenTea, "")},
	{"Replace the 2 teas and add 2 more drinks", did("src/menu.ts", blackTea+greenTea, drink("Cola", "Lime"))},
}

// TestShort: work with fewer items than stated is rejected.
func TestShort(t *testing.T) {
	t.Parallel()
	for _, c := range shortCases {
		rejected := false
		var told []string
		for _, f := range (treeChange{shop, c.after}).judged(c.words).Findings {
			rejected = rejected || f.Severity == belay.SeverityError
			told = append(told, string(f.Severity)+": "+f.Title)
		}
		if !rejected {
			t.Errorf("%q is not rejected: %v", c.words, told)
		}
	}
}
