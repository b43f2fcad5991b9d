# The Duffing equation on its unstable periodic orbit: each period multiplies a disturbance by 2.457.
# Shmygelsky, Brygilevych, Simulation of Dynamic Systems Using Global Calculation Error, example 2 (20).
param delta = 0.2, F = 0.3

x'' = -x^3 - delta*x' + F*cos(t)

init x = -0.7162799599392339, x' = 0.7463457755289501
run 0 .. 4*pi
