package syntax

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// ForEach calls do for every file, in parallel on all processors, and returns when all calls have
// returned. It panics if one of them did.
func ForEach(files []*File, do func(i int, f *File)) {
	var wait sync.WaitGroup
	var next atomic.Int64
	var once sync.Once
	var broken any
	one := func(i int) {
		defer func() {
			if p := recover(); p != nil {
				once.Do(func() { broken = fmt.Sprintf("%s: %v", files[i].Path, p) })
			}
		}()
		do(i, files[i])
	}
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(files); i = next.Add(1) - 1 {
				one(int(i))
			}
		})
	}
	wait.Wait()
	if broken != nil {
		panic(broken)
	}
}
