# The Duffing equation on its large stable periodic orbit, of period 2*pi.
# Shmygelsky, Brygilevych, Simulation of Dynamic Systems Using Global Calculation Error, example 2 (20).
param delta = 0.2, F = 0.3

x'' = -x^3 - delta*x' + F*cos(t)

init x = 0.6267106947471480, x' = 1.033053684204277
run 0 .. 4*pi
