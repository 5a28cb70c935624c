// Command release builds the archives of a release for Linux and macOS, amd64 and arm64, and
// checksums.txt. Each archive contains the program, manual pages, shell completions, LICENSE,
// README.md and CHANGELOG.md. With the same version of Go, a commit always gives the same bytes,
// whatever the folder and time.
//
//	go run ./release [-out dist] [-version v1.2.3] [-only linux] [-twice]
//
// -twice builds everything a second time, from a clone of the commit in another folder and with an
// empty build cache, and compares the two.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// targets returns the systems that are built for.
func targets() []string {
	return []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64"}
}

func main() {
	out := flag.String("out", "dist", "folder for the archives; what is in it goes")
	version := flag.String("version", "", "the version (default: git describe)")
	twice := flag.Bool("twice", false, "build two times and compare")
	only := flag.String("only", "", "only targets with this in the name")
	flag.Parse()
	if err := run(*out, *version, *only, *twice); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out, version, only string, twice bool) error {
	b := build{version: version, only: only, out: out}
	if b.version == "" {
		described, err := said("git", "describe", "--tags", "--always", "--dirty")
		if err != nil {
			return err
		}
		b.version = described
	}
	at, err := said("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the commit: %w", err)
	}
	b.time = time.Unix(seconds, 0).UTC()
	sums, err := b.all()
	if err != nil {
		return err
	}
	if twice {
		again, err := b.elsewhere()
		if err != nil {
			return err
		}
		if again != sums {
			return fmt.Errorf("two builds differ:\n%s\n%s", sums, again)
		}
		fmt.Println("two builds have the same bytes")
	}
	fmt.Print(sums)
	return nil
}

// build is the build of one release.
type build struct {
	out, version, only string
	time               time.Time // of the commit, used for all files in the archives
	source             string    // folder with the source; "" for the current one
	env                []string  // additional environment variables
}

// elsewhere builds the commit from a clone, with an empty build cache, and returns the checksums.
func (b build) elsewhere() (sums string, err error) {
	changed, err := said("git", "status", "--porcelain")
	if err != nil {
		return "", err
	}
	if changed != "" {
		return "", fmt.Errorf("there are changes that are not committed, a clone does not have them:\n%s", changed)
	}
	work, err := os.MkdirTemp("", "belay-release-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b.out, b.source = filepath.Join(work, "dist"), filepath.Join(work, "another", "folder")
	b.env = []string{"GOCACHE=" + filepath.Join(work, "cache")}
	if _, err := said("git", "clone", "-q", "--no-hardlinks", ".", b.source); err != nil {
		return "", err
	}
	return b.all()
}

// command returns a command that runs in the source folder.
func (b build) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Env = b.source, append(os.Environ(), b.env...)
	return c
}

// all builds the archives and returns the checksums.
func (b build) all() (sums string, err error) {
	if err := os.RemoveAll(b.out); err != nil {
		return "", err
	}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp("", "belay-release-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	common, err := b.common(work)
	if err != nil {
		return "", err
	}
	for _, target := range targets() {
		if !strings.Contains(target, b.only) {
			continue
		}
		system, arch, _ := strings.Cut(target, "/")
		program, err := b.program(work, system, arch)
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("belay_%s_%s_%s", strings.TrimPrefix(b.version, "v"), system, arch)
		archive, err := packed(name, b.time, append([]file{{"belay", 0o755, program}}, common...))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(b.out, name+".tar.gz"), archive, 0o644); err != nil {
			return "", err
		}
		sums += fmt.Sprintf("%x  %s.tar.gz\n", sha256.Sum256(archive), name)
	}
	return sums, os.WriteFile(filepath.Join(b.out, "checksums.txt"), []byte(sums), 0o644)
}

// program builds belay as the Makefile does, but without anything that identifies this machine.
func (b build) program(work, system, arch string) ([]byte, error) {
	to := filepath.Join(work, "belay-"+system+"-"+arch)
	c := b.command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version="+b.version,
		"-o", to, "./cmd/belay")
	c.Env = append(c.Env, "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=",
		"GOEXPERIMENT=")
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s/%s: %w\n%s", system, arch, err, out)
	}
	return os.ReadFile(to)
}

// common returns the files that all archives have.
func (b build) common(work string) ([]file, error) {
	var all []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(b.source, name))
		if err != nil {
			return nil, err
		}
		all = append(all, file{name, 0o644, text})
	}
	man := filepath.Join(work, "man")
	if err := os.MkdirAll(man, 0o755); err != nil {
		return nil, err
	}
	asked := fmt.Sprintf("%s %s %s", man, b.version, b.time.Format(time.DateOnly))
	pages := b.command("go", "test", "-count=1", "-buildvcs=false", "-run", "^TestManPages$", "./cmd/belay", "-man", asked)
	if out, err := pages.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("manual pages: %w\n%s", err, out)
	}
	err := filepath.WalkDir(man, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, file{"man/man1/" + e.Name(), 0o644, text})
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := b.program(work, runtime.GOOS, runtime.GOARCH); err != nil {
		return nil, err
	}
	here := filepath.Join(work, "belay-"+runtime.GOOS+"-"+runtime.GOARCH)
	for shell, name := range map[string]string{"bash": "belay.bash", "zsh": "_belay", "fish": "belay.fish", "powershell": "belay.ps1"} {
		text, err := exec.Command(here, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion for %s: %w", shell, err)
		}
		all = append(all, file{"completions/" + name, 0o644, text})
	}
	return all, nil
}

// file is one file of an archive.
type file struct {
	name string
	mode int64
	text []byte
}

// packed returns an archive with the files sorted by name, all with the same time and no owner.
func packed(folder string, at time.Time, files []file) ([]byte, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: at,
			Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// said returns the output of a command.
func said(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
