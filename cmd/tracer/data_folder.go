package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// dataFolderHelp is where dataFolder is, in the words of the help.
func dataFolderHelp(name string) string {
	return "~/.local/share/tracer/" + name + ", or what is usual for data on this system"
}

// dataFolder returns the folder for data of this user, by the custom of the
// system. It does not make it.
func dataFolder(name string) (string, error) {
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "tracer", name), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("--data has no default here: %w (name a folder with --data)", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "tracer", name), nil
	case "windows":
		return filepath.Join(home, "AppData", "Local", "tracer", name), nil
	}
	return filepath.Join(home, ".local", "share", "tracer", name), nil
}
