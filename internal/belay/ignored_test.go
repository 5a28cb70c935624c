package belay

import "testing"

// TestIgnoredKinds distinguishes files of programs from files of people by name alone.
func TestIgnoredKinds(t *testing.T) {
	t.Parallel()
	const rewritten, theirs, unknown = "rewritten", "settings", "unknown"
	for path, want := range map[string]string{
		".env": theirs, ".env.local": theirs, "a/.env.production": theirs, "prod.env": theirs, "config/settings.local.json": theirs, "docker-compose.override.yml": theirs,
		"local.properties": theirs, "certs/dev.pem": theirs, "config/master.key": theirs, "infra/prod.tfvars": theirs, "secrets/a/b.txt": theirs, "secrets.yaml": theirs,
		"credentials.json": theirs, ".npmrc": theirs, ".secrets": theirs, "Config.Local.PHP": theirs,

		"debug.log": rewritten, "logs/a.txt": rewritten, "tmp/.env": rewritten, ".coverage": rewritten, ".coverage.host.local.12": rewritten, "coverage.out": rewritten,
		"node_modules/x/.env": rewritten, "target/x": rewritten, "a/__pycache__/x.pyc": rewritten, "x.pyc": rewritten, ".DS_Store": rewritten, "a/Thumbs.db": rewritten,
		"test.sqlite3": rewritten, "db.sqlite3-wal": rewritten, "junit-1.xml": rewritten, ".pytest_cache/x": rewritten, ".eslintcache": rewritten, "a.tsbuildinfo": rewritten,
		"Cargo.lock": rewritten, "package-lock.json": rewritten, "api.pb.go": rewritten, "src/pkg/_version.py": rewritten, "calc.test": rewritten, ".idea/workspace.xml": rewritten,
		"x.swp": rewritten, "notes.txt~": rewritten, "config.status": rewritten, "bin/tool": rewritten, ".aider.chat.history.md": rewritten, "terraform.tfstate.backup": rewritten,

		"notes.md": theirs, "TODO": theirs, "plan.md": unknown, "pip-log.txt": unknown, "scratch/plan.txt": unknown, "main.go": unknown, "environment": unknown, "keys": unknown, "data/a.csv": unknown, "local": unknown,
		".belay/now/task.md": unknown, "x.env.d.ts": unknown,
	} {
		got := unknown
		switch {
		case Rewritten(path):
			got = rewritten
		case (Settings{}).Covers(path, false):
			got = theirs
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if (Settings{}).Covers(path, true) {
			t.Errorf("covers the folder %s with all below it", path)
		}
	}
	for folder, want := range map[string]bool{"secrets": true, "a/.secrets": true, "secrets/x": true, "node_modules/secrets": false, "tmp/secrets": false, "a": false, ".claude": false} {
		if got := (Settings{}).Reaches(folder); got != want {
			t.Errorf("reaches below %s: %v", folder, got)
		}
	}
}
