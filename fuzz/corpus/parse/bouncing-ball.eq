# A ball falls, and keeps the part e of its speed at each bounce; n counts them.
# The bounces come closer and closer: at t = 4.06 s there would be infinitely many (Zeno), so the run ends before.
param g = 9.81 [m/s^2], e = 0.8

h'' = -g
n'  = 0

when h < 0:
    h' = -e*h'
    n  = n + 1

init h = 1 [m], h' = 0 [m/s], n = 0
run 0 .. 3.5
