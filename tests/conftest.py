"""What holds for every test, however the run was started."""

import signal

# A run in the background, or under nohup, has these ignored, and all processes of the tests would inherit that.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
