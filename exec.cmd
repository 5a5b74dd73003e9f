@rem For npm start on Windows, whose shell has no exec: runs the command that follows.
@%*
