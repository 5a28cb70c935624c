package intent

import (
	"slices"
	"testing"
)

// TestNamesFiles: which files a message names, by grammar alone, one construction each.
func TestNamesFiles(t *testing.T) {
	files := []string{"roles/nginx/tasks/main.yml", "roles/backup/tasks/main.yml", "src/plotwidget.cpp", "src/undo_stack.cpp", "src/payment/DepositCalculator.kt", "src/loans/LoanService.java", "src/loans/LoanRepository.java",
		"includes/class-donor-wall.php", "lib/i18n/pl.json", "lib/i18n/fr.json", "src/commands/remind.ts", "src/api/applications/[id]/route.ts", "db/V21__stock_fix.sql", "db/V22__price_fix.sql", "deploy/crontab",
		"src/flow_table.h", "src/notifications/DelayNotifier.kt", "src/mail.ts", "api/DriverController.kt", "lib/Archive/Model/Article.pm", "Gemfile", "web/package.json"}
	for text, want := range map[string][]string{
		"run nginx as another account, the role is for web hosts":        {"roles/nginx/tasks/main.yml"},
		"make the plot widget faster":                                    {"src/plotwidget.cpp"},
		"undo brings back one tile only":                                 {"src/undo_stack.cpp"},
		"the deposit is rounded down":                                    {"src/payment/DepositCalculator.kt"},
		"LoanService should log the request id":                          {"src/loans/LoanService.java"},
		"the donor wall shows too few names":                             {"includes/class-donor-wall.php"},
		"seven of the Polish strings are still English":                  {"lib/i18n/pl.json"},
		"/remind only understands \"2h\"":                                {"src/commands/remind.ts"},
		"GET /api/applications/{id} returns somebody else's answer":      {"src/api/applications/[id]/route.ts"},
		"squash the migrations named *_fix.sql":                          {"db/V21__stock_fix.sql", "db/V22__price_fix.sql"},
		"get rid of the two cron entries":                                {"deploy/crontab"},
		"cache the flow table lookups, leave flow_table.h alone":         nil,
		"the delay notification comes too late":                          {"src/notifications/DelayNotifier.kt"},
		"umlauts in the invitation email are broken":                     {"src/mail.ts"},
		"Drivers have asked for a bigger font in the deposit dialog":     {"src/payment/DepositCalculator.kt"},
		"Can't locate object method \"page\" of Archive::Model::Article": {"lib/Archive/Model/Article.pm"},
		"Sidekiq to 7.2 please":                                          {"Gemfile"},
	} {
		if r := readMessage(Input{text, true, files}).buildRequest(); !slices.Equal(r.Affected, want) && len(r.Affected)+len(want) > 0 {
			t.Errorf("%q: %v, want %v", text, r.Affected, want)
		}
	}
}
