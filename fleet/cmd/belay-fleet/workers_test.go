package main

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// TestDescribed: queues are described in parallel, up to a limit, and the answers are in order,
// without those that ended.
func TestDescribed(t *testing.T) {
	t.Parallel()
	var keys []string
	for i := range 200 {
		keys = append(keys, fmt.Sprint(i))
	}
	var mu sync.Mutex
	at, most := 0, 0
	full := make(chan struct{})
	all := readHeartbeats(keys, func(key string) (heartbeat, bool) {
		mu.Lock()
		if at++; at > most {
			if most = at; most == describeMost {
				close(full)
			}
		}
		mu.Unlock()
		select { // the first ones wait for each other
		case <-full:
		case <-time.After(time.Hour):
		}
		mu.Lock()
		at--
		mu.Unlock()
		return heartbeat{queue: key}, key != "7"
	})
	if len(all) != 199 || most != describeMost || all[6].queue != "6" || all[7].queue != "8" || all[198].queue != "199" {
		t.Errorf("%d answers, %d at once: %+v", len(all), most, all)
	}
	if none := readHeartbeats(nil, nil); len(none) != 0 {
		t.Errorf("%+v", none)
	}
}
