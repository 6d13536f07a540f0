package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

var signals = map[string]syscall.Signal{"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT}

// signalMain sends a signal to the processes of another pod on its node, as the kernel or a sick node would:
// nothing that Kubernetes is asked for comes without a warning to the process. It needs hostPID and root.
func signalMain(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("signal", flag.ContinueOnError)
	uid := flags.String("pod-uid", "", "whose processes")
	name := flags.String("signal", "KILL", "KILL, STOP or CONT")
	if err := parse(flags, args); err != nil {
		return err
	}
	signal, known := signals[*name]
	if *uid == "" || !known {
		return usageError{errors.New("-pod-uid is needed, -signal is KILL, STOP or CONT")}
	}
	sent := 0
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || !ofPod(pid, *uid) {
			continue
		}
		if err := syscall.Kill(pid, signal); err != nil {
			return fmt.Errorf("process %d: %w", pid, err)
		}
		sent++
	}
	if sent == 0 {
		return fmt.Errorf("no process here is of the pod %s", *uid)
	}
	fmt.Println(sent)
	return nil
}

// ofPod says whether a process is of a container of the pod, and not its pause. The cgroup's name has the uid,
// with underscores where systemd made it.
func ofPod(pid int, uid string) bool {
	groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	text := string(groups)
	there := strings.Contains(text, "pod"+uid) || strings.Contains(text, "pod"+strings.ReplaceAll(uid, "-", "_"))
	return there && len(command) > 0 && !bytes.HasPrefix(command, []byte("/pause")) && !bytes.Contains(command, []byte("/bin/pause"))
}
