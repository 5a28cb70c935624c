package intent

import "testing"

// TestFoundingSentence tests the message that belay began with: three concerns of three kinds in
// one sentence, the middle one without a verb. Each has been lost or misread at some time.
func TestFoundingSentence(t *testing.T) {
	for text, want := range map[string]string{
		"Refine the copy, two moods not working, add 2 more drinks for night":                              "MF2A2",
		"refine ad copy, less generic more adult. two moods not working. add 2 more drinks for nighttime.": "MMF2A2", // the qualification of the copy is a change by itself
		"Refine the copy; two moods not working; add 2 more drinks for night":                              "MF2A2",
		"Refine the copy - two moods not working - add 2 more drinks for night":                            "MF2A2",
		"Refine the copy — two moods not working — add 2 more drinks for night":                            "MF2A2",
		"Refine the copy and two moods not working and add 2 more drinks for night":                        "MF2A2",
		"Refine the copy, two moods not working and add 2 more drinks for night":                           "MF2A2",
		"Refine the copy, two moods broken, add two more drinks for night":                                 "MF2A2",
		"refien the copy, two moods not working, ad copy is fine. add 2 more drinks":                       "MF2A2",
		"Refine the headlines, both themes not working, add three more cards for winter":                   "MF2A3",
		"Tighten the intro, three links dead, add 2 more photos":                                           "MF3A2",
		"add 2 more drinks for night, refine the copy, two moods not working":                              "A2MF2",
		"two moods not working, refine the copy, add 2 more drinks for night":                              "F2MA2",
		"Refine the copy, export missing, add 2 more drinks for night":                                     "MFA2",
		"Refine the copy, margins off, remove the old banner":                                              "MFR",
		"Refine the copy.\nTwo moods not working.\nAdd 2 more drinks for night.":                           "MF2A2",
		"- refine the copy\n- two moods not working\n- add 2 more drinks for night":                        "MF2A2",
		"1. Refine the copy 2. Two moods not working 3. Add 2 more drinks for night":                       "MF2A2",
		"Refine the copy, two moods are not working, add 2 more drinks for night, keep the existing 8":     "MF2A2",
		"pls refine the copy, 2 moods not working, and add 2 more drinks for night thx":                    "MF2A2",
	} {
		t.Run(text, func(t *testing.T) {
			r, _ := Parse(Input{Text: text, PlanExists: true})
			if got, _ := inLetters(r); got != want {
				t.Errorf("read as %s, want %s", got, want)
			}
		})
	}
}
