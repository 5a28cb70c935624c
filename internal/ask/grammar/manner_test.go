package grammar

import (
	"strings"
	"testing"
)

// TestManner: how something that is there is shown or sent, against what is shown for the
// first time.
func TestManner(t *testing.T) {
	for o, want := range map[string]bool{"the newest first": true, "prices with vat": true, "distances in miles for users in the us": true, "the reports as pdf": true, "20 items per page": true,
		"names as \"": true, "the date in the user's time zone": true, "a warning in red": false, "the author below each post": false, "who changed it last": false, "them back as well": false, "": false, "stars": false} {
		if got := Manner(strings.Fields(o)); got != want {
			t.Errorf("%q: %v", o, got)
		}
	}
	for o, want := range map[string]bool{"logs to /var/log/app": true, "the mails from a@b.org": true, "a copy to a@b.org": false, "releases with the new key": true, "releases with a key": false} {
		if got := Destined(strings.Fields(o)); got != want {
			t.Errorf("%q: %v", o, got)
		}
	}
	for o, want := range map[string]bool{"more than one attachment": true, "uploads up to 20 mb": true, "usernames contain dots": true, "guests to comment": false, "users download their data": false} {
		if got := Relaxed(strings.Fields(o)); got != want {
			t.Errorf("%q: %v", o, got)
		}
	}
}

// TestPredicateBehindRelative: what is said of a subject that a clause tells of.
func TestPredicateBehindRelative(t *testing.T) {
	for line, want := range map[string]int{"guests who cancel are charged twice": 3, "customers who come back in the same month are counted as churned": 8, "guests who book two rooms get one mail": 5,
		"orders placed after midnight are dated wrongly": 4, "a page that shows which items are sold": -1, "people who can edit": -1} {
		at, ok := Predicate(strings.Fields(line))
		if !ok {
			at = -1
		}
		if at != want {
			t.Errorf("%q: %d, want %d", line, at, want)
		}
	}
}
