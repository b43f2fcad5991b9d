# both accelerations on the left
param M = 10 [kg], m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
input u = 0 [N]
(M + m)*x'' + m*l*cos(phi)*phi'' = u + m*l*sin(phi)*phi'^2
cos(phi)*x'' + l*phi'' = g*sin(phi)
init x = -1, x' = 0, phi = pi + 0.1, phi' = 0
run 0 .. 12
