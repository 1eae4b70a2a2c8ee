package lsp

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// pulse is how often the server looks whether its editor still runs.
const pulse = 3 * time.Second

// watch returns when the process is gone or the context ends; gone says which.
func watch(ctx context.Context, pid int, every time.Duration) (gone bool) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for alive(pid) {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
	return true
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
