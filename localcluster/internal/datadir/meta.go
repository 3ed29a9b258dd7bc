package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/reconcile-tracer/tracer/localcluster/internal/version"
)

// format is the layout of the data folder. It grows when an older localcluster
// could no longer use the folder.
const format = 1

const metaFile = "localcluster.json"

// meta is what the folder says about itself.
type meta struct {
	Format     int    `json:"format"`
	Kubernetes string `json:"kubernetes"`
	Port       int    `json:"port,omitempty"`
}

func (d *Dir) loadMeta() error {
	raw, err := os.ReadFile(d.File(metaFile))
	if errors.Is(err, fs.ErrNotExist) {
		return d.saveMeta()
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &d.meta); err != nil {
		return fmt.Errorf("%s is damaged (%w): remove the folder to start anew", metaFile, err)
	}
	if err := d.meta.check(version.Kubernetes()); err != nil {
		return err
	}
	return d.saveMeta()
}

// check reports why a binary with Kubernetes ours cannot use the folder, or nil.
func (m meta) check(ours string) error {
	if m.Format > format {
		return fmt.Errorf("it was made by a newer localcluster (format %d, this one knows %d): use that one, or another folder with --data", m.Format, format)
	}
	if m.Format < 1 {
		return fmt.Errorf("%s is damaged (format %d): remove the folder to start anew", metaFile, m.Format)
	}
	stored, err := version.ParseMinor(m.Kubernetes)
	if err != nil {
		return fmt.Errorf("%s is damaged (%w): remove the folder to start anew", metaFile, err)
	}
	own, err := version.ParseMinor(ours)
	if err != nil {
		return err
	}
	if own.CanRead(stored) {
		return nil
	}
	word := "an older"
	if stored.Compare(own) > 0 {
		word = "a newer"
	}
	return fmt.Errorf("it holds the data of %s Kubernetes (%s, this one is %s): use that localcluster, or another folder with --data", word, m.Kubernetes, ours)
}

func (d *Dir) saveMeta() error {
	d.meta.Format = format
	d.meta.Kubernetes = version.Kubernetes()
	raw, err := json.MarshalIndent(d.meta, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(d.File(metaFile), append(raw, '\n'), 0o600)
}

// Port is the port that the API server had at the last start, 0 when there was none.
func (d *Dir) Port() int { return d.meta.Port }

// SetPort remembers the port for the next start, so that clients which still have
// the old kubeconfig find the cluster again.
func (d *Dir) SetPort(port int) error {
	if d.meta.Port == port {
		return nil
	}
	d.meta.Port = port
	return d.saveMeta()
}
