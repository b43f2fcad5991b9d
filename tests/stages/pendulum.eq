# the pendulum as on paper: index 3
param m = 1, l = 1, g = 9.81
x'' = -2*lam*x/m
y'' = -2*lam*y/m + g
x^2 + y^2 = l^2
init x = 1, x' = 0
guess y = 0
run 0 .. 1
