package edit

import (
	"fmt"
	"runtime"
	"sync"
)

// Each calls do for every file, on as many processors as there are, and returns when
// all calls have. A panic in one of them is a panic of Each.
func Each(files []*File, do func(i int, f *File)) {
	var wait sync.WaitGroup
	var once sync.Once
	var broken any
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range files {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { broken = fmt.Sprintf("%s: %v", f.Path, p) })
				}
				<-slots
			}()
			do(i, f)
		})
	}
	wait.Wait()
	if broken != nil {
		panic(broken)
	}
}
