package scan

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpu reports the processor time of each round, which is more meaningful than elapsed time on a
// busy machine.
func cpu(b *testing.B, who int) func() {
	used := func() int64 {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	start := used()
	return func() { b.ReportMetric(float64(used()-start)/1e6/float64(b.N), "cpu-ms/op") }
}

// bigTree creates a repository of n tracked files, twenty in a folder, with an untracked one in
// every tenth folder.
func bigTree(b *testing.B, n int) *bench {
	b.Helper()
	t := newBench(b)
	for i := range n {
		dir := fmt.Sprintf("src%02d/package%03d", i/2000, i/20)
		if i%20 == 0 {
			t.must(os.MkdirAll(t.path(dir), 0o755))
		}
		t.must(os.WriteFile(fmt.Sprintf("%s/%s/some_file_%06d.go", t.root, dir, i), fmt.Appendf(nil, "package p%d\n", i), 0o644))
	}
	t.put(".gitignore", "*.o\n/build/\n", "build/x", "")
	gitOut(b, t.root, "init", "-q")
	gitOut(b, t.root, "config", "gc.auto", "0")
	gitOut(b, t.root, "add", "-A")
	gitOut(b, t.root, "commit", "-qm", "x")
	for i := 0; i < n/20; i += 10 {
		t.put(fmt.Sprintf("src%02d/package%03d/new.go", i/100, i), "new")
	}
	t.age()
	gitOut(b, t.root, "update-index", "-q", "--refresh")
	t.o.Ignored = gitIgnored(b, t.root)
	t.o.TrackedKey = "1"
	list := lsTracked(b, t.root)
	t.o.ReadTracked = func(context.Context) ([]Tracked, time.Time, error) { return list, time.Now(), nil }
	return t
}

// seeded returns the list with seeds, as a read of git's index would.
func seeded(b *testing.B, t *bench, list []Tracked) []Tracked {
	for i := range list {
		var st unix.Stat_t
		t.must(unix.Lstat(t.path(list[i].Path), &st))
		list[i].Seed = &Stat{MtimeSec: int64(st.Mtim.Sec), CtimeSec: int64(st.Ctim.Sec), MtimeNsec: uint32(st.Mtim.Nsec), CtimeNsec: uint32(st.Ctim.Nsec),
			Dev: uint32(st.Dev), Ino: uint32(st.Ino), Uid: st.Uid, Gid: st.Gid, Mode: 0o100644, Size: uint32(st.Size)}
	}
	return list
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		t := bigTree(b, n)
		first := time.Now()
		t.must(t.scan().Save())
		t.age()
		t.must(t.scan().Save())
		b.Logf("%d files: the two scans that fill the cache took %v", n, time.Since(first))
		b.Run(fmt.Sprintf("unchanged/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			defer cpu(b, unix.RUSAGE_SELF)()
			for b.Loop() {
				r, err := Scan(context.Background(), t.o)
				t.must(err)
				if r.Stats.Hashed+r.Stats.Asked != 0 || r.Stats.Files < n {
					b.Fatalf("%+v", r.Stats)
				}
			}
		})
		b.Run(fmt.Sprintf("git-status/%d", n), func(b *testing.B) {
			defer cpu(b, unix.RUSAGE_CHILDREN)()
			for b.Loop() {
				gitOut(b, t.root, "status", "--porcelain")
			}
		})
		b.Run(fmt.Sprintf("oneEditSaved/%d", n), func(b *testing.B) {
			defer cpu(b, unix.RUSAGE_SELF)()
			for i := 0; b.Loop(); i++ {
				t.must(os.WriteFile(t.path("src00/package001/some_file_000021.go"), fmt.Append(nil, i), 0o644))
				t.must(t.scan().Save())
			}
		})
		b.Run(fmt.Sprintf("save/%d", n), func(b *testing.B) {
			r := t.scan()
			defer cpu(b, unix.RUSAGE_SELF)()
			for b.Loop() {
				r.scan.cacheChanged.Store(true)
				t.must(r.Save())
			}
		})
		b.Run(fmt.Sprintf("indexChanged/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				t.o.TrackedKey = fmt.Sprint("key", i)
				t.scan()
			}
		})
		t.o.TrackedKey = "1"
		b.Run(fmt.Sprintf("firstSeeded/%d", n), func(b *testing.B) {
			list := seeded(b, t, lsTracked(b, t.root))
			o := t.o
			o.ReadTracked = func(context.Context) ([]Tracked, time.Time, error) { return list, time.Now(), nil }
			o.Cache += "-none"
			for b.Loop() {
				r, err := Scan(context.Background(), o)
				t.must(err)
				if r.Stats.Hashed > n/10 {
					b.Fatalf("%+v", r.Stats)
				}
			}
		})
		b.Run(fmt.Sprintf("coldNoCache/%d", n), func(b *testing.B) {
			o := t.o
			o.Cache = ""
			for b.Loop() {
				_, err := Scan(context.Background(), o)
				t.must(err)
			}
		})
		b.Run(fmt.Sprintf("loadCache/%d", n), func(b *testing.B) {
			for b.Loop() {
				if Read(t.o.Cache) == nil {
					b.Fatal("no cache")
				}
			}
		})
	}
}
