#!/bin/sh
# A scripted agent: what it does is in the last word of the task's id.
set -eu
cat > /dev/null
echo "agent: attempt $BELAY_ATTEMPT of $BELAY_TASK"
name=src/$BELAY_TASK.txt
right() { echo "$BELAY_TASK, done" > "$name"; }
case $BELAY_TASK-$BELAY_ATTEMPT in
*-first-*) right ;;
*-second-1) # it touches a file that is not its own
	right
	echo 'changed' >> test.sh
	;;
*-long-*)
	n=0
	while [ $n -lt "${DEMO_LONG:-12}" ]; do
		sleep 1
		n=$((n + 1))
	done
	right
	;;
*-stuck-[123]) echo "$BELAY_TASK, wrong" > "$name" ;; # until somebody says what is meant
*) right ;;
esac
